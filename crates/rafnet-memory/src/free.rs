//! How many bytes are free.
//!
//! On Linux the least of three: what the machine has available without swapping (`MemAvailable`), what the control groups of this
//! process leave (version 2 and version 1, a container's limit among them), and what its own limit on addresses leaves
//! (`ulimit -v`). Whatever cannot be read does not count. Elsewhere nothing is asked, and a large machine is assumed.

/// What is assumed where nothing can be asked.
const ASSUMED: u64 = 64 << 30;

/// The bytes that can be asked for now.
pub fn free() -> u64 {
    let limits = [
        available(&read("/proc/meminfo")),
        groups(&read("/proc/self/cgroup")),
        addresses(&read("/proc/self/limits"), &read("/proc/self/status")),
    ];
    limits.into_iter().flatten().min().unwrap_or(ASSUMED)
}

/// The text of a file of the system; empty where there is none.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The number behind a key at the start of a line, in kB.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

fn available(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
}

/// What is left below the limit on addresses.
fn addresses(limits: &str, status: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|l| l.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes(status, "VmSize:").unwrap_or(0)))
}

/// The least that the control groups leave, from that of this process up to the root.
fn groups(cgroup: &str) -> Option<u64> {
    let left = cgroup.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let files = if controllers.is_empty() {
            Some((
                "/sys/fs/cgroup",
                "memory.max",
                "memory.current",
                "inactive_file",
            ))
        } else if controllers.split(',').any(|c| c == "memory") {
            Some((
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ))
        } else {
            None
        };
        files
            .into_iter()
            .flat_map(move |(root, limit, used, cached)| {
                ancestors(path).filter_map(move |group| {
                    let number = |name: &str| {
                        read(&format!("{root}{group}/{name}"))
                            .trim()
                            .parse::<u64>()
                            .ok()
                    };
                    let statistics = read(&format!("{root}{group}/memory.stat"));
                    Some(left(
                        number(limit)?,
                        number(used).unwrap_or(0),
                        &statistics,
                        cached,
                    ))
                })
            })
    });
    left.min()
}

/// A path and everything above it, the root as an empty text.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_end_matches('/');
    std::iter::successors(Some(path), |path| path.rfind('/').map(|at| &path[..at]))
}

/// What a group leaves: pages that only cache files count as free.
fn left(limit: u64, used: u64, statistics: &str, cached: &str) -> u64 {
    let cache = statistics.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == cached).then(|| value.parse::<u64>().ok())?
    });
    limit.saturating_sub(used.saturating_sub(cache.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_texts_are_read() {
        let meminfo = "MemTotal:       24569480 kB\nMemAvailable:   2000 kB\n";
        assert_eq!(available(meminfo), Some(2_048_000));
        assert_eq!(available("MemTotal: 1 kB"), None);
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space         10240000             unlimited            bytes\n";
        assert_eq!(addresses(limits, "VmSize:\t    1000 kB\n"), Some(9_216_000));
        assert_eq!(
            addresses("Max address space  unlimited  unlimited  bytes", ""),
            None
        );
    }

    #[test]
    fn a_group_leaves_what_it_does_not_use() {
        let statistics = "file 900\ninactive_file 300\n";
        assert_eq!(left(1000, 700, statistics, "inactive_file"), 600);
        assert_eq!(left(1000, 2000, "", "inactive_file"), 0);
        assert_eq!(ancestors("/a/b").collect::<Vec<_>>(), ["/a/b", "/a", ""]);
        assert_eq!(ancestors("/").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn something_is_free_here() {
        assert!(free() > 1 << 20);
    }
}
