//! Fronts against one dense triangle.

use super::{Fronts, Rows};
use crate::halt::{Crew, Halt, Why};
use crate::optimise::LeastSquares;
use faer::Mat;

/// Rows of a graph of groups: own ones and one set for each edge.
fn rows(edges: &[(usize, usize)], groups: usize, n: usize) -> Vec<Rows> {
    let entry = |seed: usize, i: usize, j: usize| {
        // splitmix64: plain multiples would make rows that depend on each other
        let mut x = (seed * 31 + i * 7919 + j * 104_729) as u64;
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let own = (0..groups).map(|g| Rows {
        groups: vec![g],
        entries: Mat::from_fn(n + 2, n + 2, |i, j| entry(g + 1, i, j)),
        triangle: false,
    });
    let joins = edges.iter().enumerate().map(|(e, (a, b))| Rows {
        groups: vec![*a, *b],
        entries: Mat::from_fn(3, 2 * n + 2, |i, j| entry(1000 + e, i, j)),
        triangle: false,
    });
    own.chain(joins).collect()
}

/// A chain, a circle and a grid: the same solution and misfit as one dense problem, the same bits on any number of threads.
#[test]
fn fronts_solve_what_one_dense_triangle_solves() {
    let chain: Vec<(usize, usize)> = (0..6).map(|k| (k, k + 1)).collect();
    let circle: Vec<(usize, usize)> = (0..6).map(|k| (k, k + 1)).chain([(0, 6)]).collect();
    let right = (0..9).filter(|k| k % 3 < 2).map(|k| (k, k + 1));
    let grid: Vec<(usize, usize)> = right.chain((0..6).map(|k| (k, k + 3))).collect();
    for (edges, groups) in [(chain, 7), (circle, 7), (grid, 9)] {
        let n = 5;
        let widths = vec![n; groups];
        let halt = Halt::default();
        let fronts = Fronts::new(&widths, rows(&edges, groups, n), 2, Crew::single(&halt));
        let all = rows(&edges, groups, n);
        let height = all.iter().map(|r| r.entries.nrows()).sum();
        let mut dense = LeastSquares::room(height, n * groups, 2);
        let mut at = 0;
        for r in &all {
            for i in 0..r.entries.nrows() {
                let places = r.groups.iter().flat_map(|g| g * n..(g + 1) * n);
                for (from, to) in places.chain([groups * n, groups * n + 1]).enumerate() {
                    dense[(at, to)] = r.entries[(i, from)];
                }
                at += 1;
            }
        }
        let dense = LeastSquares::new(dense, 2, &halt);
        let (mine, expected) = (fronts.solve(&[1.0, -0.5]), dense.solve(&[1.0, -0.5]));
        for (a, b) in mine.iter().flatten().zip(&expected) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
        let [a, b] = [fronts.misfit(&[1.0, -0.5]), dense.misfit(&[1.0, -0.5])];
        assert!((a - b).abs() < 1e-12, "{a} {b}");
        let threaded = Fronts::new(&widths, rows(&edges, groups, n), 2, Crew::new(3, &halt));
        assert_eq!(threaded.solve(&[1.0, 2.0]), fronts.solve(&[1.0, 2.0]));
    }
}

/// Once it is ended no front is made.
#[test]
fn an_end_is_heard_between_fronts() {
    let chain: Vec<(usize, usize)> = (0..6).map(|k| (k, k + 1)).collect();
    let halt = Halt::default();
    let made = |crew| Fronts::new(&[5; 7], rows(&chain, 7, 5), 2, crew).kept.len();
    assert_eq!(made(Crew::new(2, &halt)), 7);
    halt.raise(Why::Expired);
    assert_eq!(made(Crew::new(2, &halt)), 0);
    assert_eq!(made(Crew::single(&halt)), 0);
}
