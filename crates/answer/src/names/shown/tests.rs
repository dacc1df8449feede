//! Names that people get to see, and that they can write again.

use opcost_key::FunctionKey;

use super::{Detail, NameBook, fits, is_called, shown_with};
use crate::names::demangle;

/// `void std::__sort<It, _Iter_less_iter>(It, It, _Iter_less_iter)` of a vector of int.
const SORT: &str =
    "_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_";
/// The same of a vector of double.
const SORT_DOUBLE: &str =
    "_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPdSt6vectorIdSaIdEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_";
/// `std::map<std::string, int>::operator[](std::string&&)`
const MAP: &str =
    "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEEixEOS5_";

fn folded(name: &str) -> String {
    shown_with(name, Detail::Folded)
}

#[test]
fn template_arguments_are_folded() {
    for (name, expected) in [
        ("main", "main"),
        ("_Z6searchR5Boardi", "search(Board&, int)"),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<…>::push_back(int const&)"),
        (SORT, "std::__sort<…>(…)"),
        (MAP, "std::map<…>::operator[](std::string&&)"),
        ("_Z5twiceIiET_S0_", "twice<…>(int)"),
        ("_ZltIiEbT_S0_", "operator< <…>(int, int)"),
        ("_ZplRK3SumS1_", "operator+(Sum const&, Sum const&)"),
        ("_ZN3SumclEi", "Sum::operator()(int)"),
        ("_Znwm", "operator new(unsigned long)"),
        ("_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden(int)"),
        ("_ZTV3BoxIiE", "{vtable(Box<…>)}"),
        ("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"),
        // int (*)(int) pick<int>(int)
        ("_Z4pickIiEPFiT_ES0_", "pick<…>(int)"),
        ("_Z6searchR5Boardi.part.0", "search(Board&, int).part.0"),
    ] {
        assert_eq!(folded(name), expected, "{name} is {}", demangle(name));
    }
}

#[test]
fn rust_names_have_no_hash_and_no_arguments() {
    for (name, expected) in [
        ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ("_ZN7mycrate3foo17h0123456789abcdefE", "mycrate::foo"),
        (
            "_ZN4core3ptr65drop_in_place$LT$alloc..vec..Vec$LT$alloc..string..String$GT$$GT$17h0123456789abcdefE",
            "core::ptr::drop_in_place<…>",
        ),
        (
            "_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
            "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop",
        ),
        // mycrate::pick::<u32>
        ("_RINvCs1234_7mycrate4pickmE", "mycrate::pick::<…>"),
    ] {
        assert_eq!(folded(name), expected, "{name} is {}", demangle(name));
    }
}

#[test]
fn default_arguments_go_and_others_stay() {
    let plain = |name| shown_with(name, Detail::Plain);
    assert_eq!(plain(MAP), "std::map<std::string, int>::operator[](std::string&&)");
    // std::vector<int, Arena<int> >::clear()
    assert_eq!(plain("_ZNSt6vectorIi5ArenaIiEE5clearEv"), "std::vector<int, Arena<int>>::clear()");
    // The allocator is one of another type: no default.
    assert_eq!(plain("_ZNSt6vectorIiSaIcEE5clearEv"), "std::vector<int, std::allocator<char>>::clear()");
    // A vector of someone else has no defaults.
    assert_eq!(plain("_ZN4mine6vectorIiSaIiEE5clearEv"), "mine::vector<int, std::allocator<int>>::clear()");
}

#[test]
fn what_folding_makes_alike_differs_in_a_book() {
    assert_eq!(folded(SORT), folded(SORT_DOUBLE));
    // pick(Box<int>), pick(Box<char>), and one that needs no more.
    let names = [SORT, SORT_DOUBLE, "_Z4pick3BoxIiE", "_Z4pick3BoxIcE", "main"];
    let book = NameBook::of_names(names);
    assert_eq!(book.name("main"), "main");
    assert_eq!(book.name("_Z4pick3BoxIiE"), "pick(Box<int>)");
    assert_eq!(book.name("_Z4pick3BoxIcE"), "pick(Box<char>)");
    let sorts = [book.name(SORT), book.name(SORT_DOUBLE)];
    assert!(sorts[0] != sorts[1] && sorts[0].contains("std::vector<int>"), "{sorts:?}");
    // Two constructors of one class are one in the source, and those of another class differ.
    let built = ["_ZN3BoxIiEC1Ev", "_ZN3BoxIiEC2Ev", "_ZN3BoxIcEC2Ev"];
    let book = NameBook::of_names(built);
    assert_eq!(built.map(|name| book.name(name)), ["Box<int>::Box()", "Box<int>::Box()", "Box<char>::Box()"]);
    assert_eq!(NameBook::of_names([SORT]).name(SORT), "std::__sort<…>(…)", "alone it is folded");
    assert_eq!(book.name(MAP), "std::map<…>::operator[](std::string&&)", "in no book it is folded");
}

#[test]
fn functions_of_two_modules_are_shown_with_them() {
    let of = |module: &str| FunctionKey { module: Some(module.into()), name: "step".into() };
    let (a, b) = (of("./a.c"), of("b.c"));
    let book = NameBook::of_functions([&a, &b]);
    assert_eq!(book.function(&b), "step of b.c");
    assert_eq!(NameBook::of_functions([&a]).function(&a), "step");
}

#[test]
fn what_is_shown_can_be_written_again() {
    let names = [SORT, SORT_DOUBLE, MAP, "_Z6searchR5Boardi", "_ZNSt6vectorIiSaIiEE9push_backERKi", "main"];
    let book = NameBook::of_names(names);
    for name in names {
        for text in [name.to_owned(), book.name(name), folded(name), demangle(name)] {
            assert!(is_called(name, &text), "{name} is called {text}");
        }
    }
    for (name, wanted) in [
        (SORT, "std::__sort<…>"),
        (SORT, "std::__sort<...>"),
        (SORT, "std::__sort…"),
        (MAP, "std::map<…>::operator[]"),
        (MAP, "operator[]"),
        ("_Z6searchR5Boardi", "search"),
        ("_Z6searchR5Boardi", "sea…int)"),
    ] {
        assert!(is_called(name, wanted), "{name} is called {wanted}");
    }
    for (name, wanted) in [
        (SORT, "std::sort<…>"),
        (SORT, book.name(SORT_DOUBLE).as_str()),
        (MAP, "std::map"),
        ("_Z6searchR5Boardi", "sea"),
        ("_Z6searchR5Boardi", "…(int)"),
        ("main", ""),
    ] {
        assert!(!is_called(name, wanted), "{name} is not called {wanted}");
    }
}

#[test]
fn linkage_names_in_a_text_are_shown_as_others() {
    use super::shown_in;
    assert_eq!(
        shown_in("null||{the memory of _Znwm at line 137}"),
        "null||{the memory of operator new(unsigned long) at line 137}"
    );
    for text in ["", "Δ#1+1", "my_Znwm || x", "_Zzz", "@_R"] {
        assert_eq!(shown_in(text), text);
    }
}

#[test]
fn a_fold_stands_for_anything() {
    assert!(fits("a…c", "abc") && fits("…", "") && fits("a…", "a") && fits("…b…", "abc"));
    assert!(!fits("a…c", "ab") && !fits("ab…bc", "abc") && !fits("a", "ab") && !fits("…b", "abc"));
}

#[test]
fn no_name_is_lost_whatever_its_brackets() {
    // Of strings that no compiler makes, too, something is shown, and nothing panics.
    for name in ["", "_Z", "_ZN", "a<b", "a>b(", "operator", "…", "_Z1fILb1EEvv", "_Z1fIXgtLi3ELi2EEEvv"] {
        for detail in super::DETAILS {
            assert_eq!(shown_with(name, detail).is_empty(), name.is_empty(), "{name}");
        }
    }
}
