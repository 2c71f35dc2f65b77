//! Which neighbouring tiles match, for all colours at once, and the groups that they make.
//!
//! Playing spends most of its time listing the groups, nearly all of which are small. So groups of one
//! cell and its neighbours are found without following them from cell to cell.
//! `inline` is for builds in several codegen units: a call costs as much as most of these bodies.

use super::cells::CellSet;

/// Links between cells and their neighbours.
#[derive(Clone, Copy)]
pub(super) struct Links {
    /// The cells that are linked to the one above.
    up: CellSet,
    /// The cells that are linked to the one on their right.
    right: CellSet,
}

impl Links {
    /// Links every two neighbours with the same number, other than 0; the sets are the numbers' binary digits.
    #[inline]
    pub(super) fn between<const DIGITS: usize>(digits: &[CellSet; DIGITS]) -> Self {
        let any = digits.iter().fold(CellSet::default(), |any, digit| any.or(*digit));
        let same = |moved: fn(CellSet) -> CellSet| {
            digits.iter().fold(any, |same, digit| same.without(digit.xor(moved(*digit))))
        };
        Self { up: same(CellSet::down), right: same(CellSet::left) }
    }

    /// Whether there is no link at all.
    pub(super) fn is_empty(self) -> bool {
        self.up.or(self.right).is_empty()
    }

    /// The cells of `seed`, and all cells that links connect to them.
    #[inline]
    pub(super) fn grow(self, seed: CellSet) -> CellSet {
        let mut grown = seed;
        loop {
            // Checking whether a group still grows costs as much as growing it.
            let once = self.with_linked(grown);
            let twice = self.with_linked(once);
            if twice.without(once).is_empty() {
                return once;
            }
            grown = twice;
        }
    }

    /// Calls `found` with one cell of each group of linked cells, and with the group, in no particular order.
    #[inline]
    pub(super) fn groups(self, mut found: impl FnMut(CellSet, CellSet)) {
        // Unless they are inlined where `each` calls them, the closures take twice the time of all the rest.
        let inner = self.inner();
        self.centres(inner).each(
            #[inline(always)]
            |one| found(one, self.with_linked(one)),
        );
        // Each group left has inner cells that are linked to each other, so it stays connected without its ends.
        let core = self.within(inner);
        let inner = core.inner();
        core.centres(inner).each(
            #[inline(always)]
            |one| found(one, self.with_linked(core.with_linked(one))),
        );
        let mut rest = core.within(inner).ends();
        while let Some(one) = rest.one() {
            let group = core.grow(one);
            rest = rest.without(group);
            found(one, self.with_linked(group));
        }
    }

    /// The centre of each group of one cell and the cells linked to it; `inner` is [`Self::inner`].
    #[inline]
    fn centres(self, inner: CellSet) -> CellSet {
        let pairs = self.up.without(inner.or(inner.down()));
        let pairs = pairs.or(self.right.without(inner.or(inner.left())));
        pairs.or(inner.without(self.within(inner).ends()))
    }

    /// The cells with two links or more.
    #[inline]
    fn inner(self) -> CellSet {
        let Self { up, right } = self;
        let (down, left) = (up.up(), right.right());
        let both = up.and(down).or(left.and(right));
        both.or(up.or(down).and(left.or(right)))
    }

    #[inline]
    fn ends(self) -> CellSet {
        let Self { up, right } = self;
        up.or(up.up()).or(right).or(right.right())
    }

    /// The links between two cells of the set.
    #[inline]
    fn within(self, cells: CellSet) -> Self {
        let up = self.up.and(cells).and(cells.down());
        let right = self.right.and(cells).and(cells.left());
        Self { up, right }
    }

    /// The cells of the set, and those linked to one of them.
    #[inline]
    fn with_linked(self, cells: CellSet) -> CellSet {
        let Self { up, right } = self;
        let column = cells.and(up).up().or(cells.down().and(up));
        let row = cells.and(right).right().or(cells.left().and(right));
        cells.or(column).or(row)
    }
}
