//! The little linear algebra of the ratings: square matrices with a row for each bot.

use std::ops::{Index, IndexMut};

/// A square matrix.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub(super) fn new(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The product of two matrices.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::new(self.size);
        for row in 0..self.size {
            for middle in 0..self.size {
                let factor = self[(row, middle)];
                for column in 0..self.size {
                    product[(row, column)] += factor * other[(middle, column)];
                }
            }
        }
        product
    }

    /// The product with a vector.
    pub(super) fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let row = |row| (0..self.size).map(|column| self[(row, column)] * vector[column]).sum();
        (0..self.size).map(row).collect()
    }

    /// The inverse of a symmetric, positive definite matrix: it is L Lᵀ (Cholesky), and its inverse (L⁻¹)ᵀ L⁻¹.
    pub(super) fn inverse(&self) -> Self {
        let mut lower = Self::new(self.size);
        let mut inverse = Self::new(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let known = (0..column).map(|it| lower[(row, it)] * lower[(column, it)]);
                let left = self[(row, column)] - known.sum::<f64>();
                lower[(row, column)] =
                    if row == column { left.sqrt() } else { left / lower[(column, column)] };
            }
            for column in 0..=row {
                let known = (column..row).map(|it| lower[(row, it)] * inverse[(it, column)]);
                let one = if row == column { 1.0 } else { 0.0 };
                inverse[(row, column)] = (one - known.sum::<f64>()) / lower[(row, row)];
            }
        }
        inverse.transposed().times(&inverse)
    }

    fn transposed(&self) -> Self {
        let mut turned = Self::new(self.size);
        for row in 0..self.size {
            for column in 0..self.size {
                turned[(row, column)] = self[(column, row)];
            }
        }
        turned
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.size + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        for size in [1, 2, 7] {
            let mut matrix = Matrix::new(size);
            for row in 0..size {
                for column in 0..size {
                    // Its diagonal outweighs the rest of the row.
                    let off = [-2.0, -1.0, 0.0, 1.0, 2.0][(row * column) % 5];
                    matrix[(row, column)] = if row == column { 50.0 } else { off };
                }
            }
            let product = matrix.times(&matrix.inverse());
            for row in 0..size {
                for column in 0..size {
                    let one = f64::from(u8::from(row == column));
                    assert!((product[(row, column)] - one).abs() < 1e-12, "{product:?}");
                }
            }
        }
    }
}
