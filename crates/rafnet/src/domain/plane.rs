//! Plane geometry: what polygons are made of.
//!
//! The cross product a × b = a₁b₂ − a₂b₁ is positive when b lies to the left of a.

/// A point or a vector of the plane.
pub(super) type Point = [f64; 2];

pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub(super) fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// |a − b|.
pub(super) fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// (b − a) × (c − a): twice the signed area of the triangle, positive when c lies to the left of the way from a to b.
pub(super) fn turn(a: Point, b: Point, c: Point) -> f64 {
    cross(minus(b, a), minus(c, a))
}

/// The angle from a to b, in (−π, π], positive to the left.
pub(super) fn angle(a: Point, b: Point) -> f64 {
    cross(a, b).atan2(dot(a, b))
}

/// The distance of p from the segment between a and b.
pub(super) fn distance_to_segment(p: Point, segment: [Point; 2]) -> f64 {
    let [x, y] = to_segment(p, segment);
    x.hypot(y)
}

/// Its square, without care for what is too small or too large to be squared.
pub(super) fn squared_distance(p: Point, segment: [Point; 2]) -> f64 {
    let [x, y] = to_segment(p, segment);
    x * x + y * y
}

/// From the nearest point of the segment between a and b to p.
fn to_segment(p: Point, [a, b]: [Point; 2]) -> Point {
    let (along, from) = (minus(b, a), minus(p, a));
    let share = (dot(from, along) / dot(along, along)).clamp(0.0, 1.0);
    [from[0] - share * along[0], from[1] - share * along[1]]
}

/// Whether two segments have a point in common, their ends included.
pub(super) fn segments_meet([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let (from_c, from_d) = (turn(a, b, c), turn(a, b, d));
    let (from_a, from_b) = (turn(c, d, a), turn(c, d, b));
    // On one line the turns are all zero, and the boxes around the segments decide.
    let overlap = |k: usize| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]);
    from_c * from_d <= 0.0 && from_a * from_b <= 0.0 && overlap(0) && overlap(1)
}

/// Twice the signed area of a closed outline, positive when it runs counterclockwise.
pub(super) fn doubled_area(outline: &[Point]) -> f64 {
    let Some(&origin) = outline.first() else {
        return 0.0;
    };
    outline
        .windows(2)
        .map(|pair| turn(origin, pair[0], pair[1]))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_meet_where_they_should() {
        let base = [[0.0, 0.0], [2.0, 0.0]];
        for (other, meets) in [
            ([[1.0, -1.0], [1.0, 1.0]], true),  // crosses
            ([[1.0, 0.0], [1.0, 1.0]], true),   // touches
            ([[2.0, 0.0], [3.0, 1.0]], true),   // shares an end
            ([[1.0, 0.0], [3.0, 0.0]], true),   // overlaps on a line
            ([[3.0, 0.0], [4.0, 0.0]], false),  // apart on a line
            ([[3.0, -1.0], [3.0, 1.0]], false), // would cross further out
            ([[1.0, 0.5], [1.0, 1.0]], false),  // ends above
        ] {
            assert_eq!(segments_meet(base, other), meets, "{other:?}");
            assert_eq!(segments_meet(other, base), meets, "{other:?}, swapped");
        }
    }

    #[test]
    fn distances_to_a_segment() {
        let segment = [[0.0, 0.0], [4.0, 0.0]];
        for (p, expected) in [
            ([1.0, 2.0], 2.0),
            ([-3.0, 4.0], 5.0),
            ([7.0, -4.0], 5.0),
            ([2.0, 0.0], 0.0),
        ] {
            assert_eq!(
                distance_to_segment(p, segment).to_bits(),
                f64::to_bits(expected)
            );
        }
    }

    #[test]
    fn area_by_triangles_around_the_first_vertex() {
        let square = [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
        assert_eq!(doubled_area(&square).to_bits(), 8f64.to_bits());
        assert_eq!(doubled_area(&[]).to_bits(), 0f64.to_bits());
    }
}
