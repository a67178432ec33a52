//! What a line of the table in [`basis`](super) stands for.
//!
//! ```text
//! Root  root  "root"  = "sqrt(x^2 + 1)",
//! ```
//!
//! is the variant `Basis::Root`, the file `root.rs` with `tower` and `HAS_TAIL`, the name in files and on the command line, and the formula as a text
//! in x. A line without a formula has coefficients of its own: its file has the type too, as `rational.rs` does.

macro_rules! functions {
    ($($(#[$about:meta])* $variant:ident $module:ident $name:literal $(= $formula:literal)?,)*) => {
        $($(
            mod $module;

            #[doc = $formula]
            #[derive(Clone, Copy)]
            struct $variant;

            impl Function for $variant {
                #[inline(always)]
                fn tower<V: Vector, const ORDER: usize>(self, y: V, _: &[V::Element]) -> [V; 4] {
                    $module::tower(y)
                }
            }
        )?)*

        /// A basis function, by its name in files and on the command line.
        ///
        /// ```
        /// use rafnet::basis::Basis;
        /// let square: Basis = "x2".parse()?;
        /// assert_eq!(square.derivatives(3.0f64), [9.0, 6.0, 2.0, 0.0]);
        /// # Ok::<(), rafnet::basis::UnknownBasis>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Basis {
            $(
                #[doc = concat!("`", $name, "`" $(, ": `", $formula, "`")?)]
                $(#[$about])*
                $variant,
            )*
            /// Any text in x, with names that are trained
            Text(Text),
        }

        impl Basis {
            /// Every basis function that has a name.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name in files and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Text(text) => text.name(),
                }
            }

            /// The table's formula; none of the rational function and of texts, which have coefficients of their own.
            fn formula(self) -> Option<&'static str> {
                let formula: &[&'static str] = match self {
                    $(Self::$variant => &[$($formula)?],)*
                    Self::Text(_) => &[],
                };
                formula.first().copied()
            }

            /// Whether it or its slope decays to almost nothing: arithmetic there ends in subnormal numbers.
            pub fn has_tail(self) -> bool {
                match self {
                    $(Self::$variant => $module::HAS_TAIL,)*
                    Self::Text(_) => true,
                }
            }

            /// Hands the function over as a type.
            #[inline(always)]
            pub(crate) fn visit<W: Visitor>(self, visitor: W) -> W::Output {
                match self {
                    $(Self::$variant => visitor.visit($variant),)*
                    Self::Text(text) => visitor.visit(text),
                }
            }
        }
    };
}
