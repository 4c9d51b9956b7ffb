//! The macros that turn cases into tests.
//!
//! Which cases there are stands in `cases`; a list calls back one of the hidden macros here
//! with all its names.

/// Every store: turns each case into a `#[test]` of a module of this name. The expression
/// makes a fresh [`Bench`](crate::conformance::Bench); it is evaluated once for each test,
/// and sees what the place of the macro sees.
#[macro_export]
macro_rules! conformance {
    ($module:ident, $bench:expr $(,)?) => {
        $crate::__store_cases! { __tests, $module, ($bench) }
    };
}

/// Stores with files: as [`conformance!`], for an [`OnDisk`](crate::conformance::OnDisk).
#[macro_export]
macro_rules! disk_conformance {
    ($module:ident, $bench:expr $(,)?) => {
        $crate::__disk_cases! { __tests, $module, ($bench) }
    };
}

/// Stores whose files people edit: as [`conformance!`], for a
/// [`TextFile`](crate::conformance::TextFile).
#[macro_export]
macro_rules! text_file_conformance {
    ($module:ident, $bench:expr $(,)?) => {
        $crate::__text_file_cases! { __tests, $module, ($bench) }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __tests {
    ([$module:ident ($bench:expr)] $($file:ident { $($case:ident,)* })*) => {
        mod $module {
            #[allow(unused_imports, reason = "the expression may name nothing")]
            use super::*;

            $($(
                #[test]
                fn $case() {
                    let bench = $bench;
                    $crate::conformance::drive($crate::conformance::$file::$case(&bench));
                }
            )*)*
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ([] $($file:ident { $($case:ident,)* })*) => { &[$($(stringify!($case),)*)*] };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __runners {
    ([] $($file:ident { $($case:ident,)* })*) => {
        vec![$($((
            stringify!($case),
            (|bench| $crate::conformance::drive($crate::conformance::$file::$case(bench)))
                as $crate::conformance::Runner,
        ),)*)*]
    };
}
