//! Who changes a global: the four forms of llvm-pred, `malloc` and alias.

use super::*;
use crate::dependence::explanation::LinkCertainty;
use crate::dependence::forward::{Stores, Way};
use crate::dependence::memory::{Cell, Object};
use opcost_ir::GlobalId;

const FORMS: &str = "
global internal @gv type { i32, i32, i64 } = { }
define internal void @func(ptr %arg) {
  store i32 2, %arg
  ret void
}
define i32 @main() {
  store i32 1, @gv
  call void @func(ptr @gv)
  %cast = bitcast ptr @gv
  store i32 3, %cast
  %gep = getelementptr { i32, i32, i64 }, ptr @gv, i32 0, i32 1
  store i32 4, %gep
  ret i32 0
}
";

fn stores(text: &str, offset: i64, size: u64) -> Stores {
    stores_in(text, offset, size, World::Closed)
}

fn stores_in(text: &str, offset: i64, size: u64, world: World) -> Stores {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error:?}"));
    let layout = Layout::of(&module);
    let effects = Effects::built_in();
    let whole = MemoryModel::of(&module, &layout, &effects, world);
    let writers = Writers::compute(&whole);
    let memory = ModuleMemory::new(&whole, &writers);
    let resolver = Resolver::new(&module, &memory);
    resolver.stores_to(Cell { object: Object::Global(GlobalId::new(0)), offset, size })
}

fn ways(stores: &Stores) -> Vec<&[Way]> {
    stores.list.iter().map(|store| store.ways.as_slice()).collect()
}

#[test]
fn the_four_forms_each_by_its_member() {
    let first = stores(FORMS, 0, 4);
    assert_eq!(ways(&first), [&[Way::Parameter(0)][..], &[Way::Direct], &[Way::Cast]]);
    assert!(first.is_complete && !first.is_written_once());
    let second = stores(FORMS, 4, 4);
    assert_eq!(ways(&second), [&[Way::Member][..]]);
    assert!(second.is_written_once() && second.list[0].certainty == LinkCertainty::Definite);
    assert!(stores(FORMS, 8, 8).list.is_empty());
    assert_eq!(stores(FORMS, 0, 8).list.len(), 4);
}

#[test]
fn without_one_of_them_there_is_one_fewer() {
    for form in ["store i32 1, @gv", "call void @func(ptr @gv)", "store i32 3, %cast"] {
        assert_eq!(stores(&FORMS.replace(form, "fence"), 0, 4).list.len(), 2, "{form}");
    }
}

#[test]
fn memory_that_a_pointer_in_it_leads_to_by_malloc_and_by_alias() {
    let text = "
declare @malloc
global internal @gv type { i64, ptr } = { }
define internal void @later(i64 %i) {
  %alias = load ptr, ptr @gv+8
  %at = getelementptr i32, %alias, i64 %i
  store i32 6, %at
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
  %ptr = call ptr @malloc(i64 400)
  store ptr %ptr, ptr @gv+8
  store i32 5, %ptr
  call void @later(i64 7)
  ret i32 0
}
";
    let found = stores(text, 8, 8);
    assert!(found.is_written_once());
    let [(Object::Fresh(..), behind)] = found.behind.as_slice() else { panic!("{found:?}") };
    let ways: Vec<&[Way]> = behind.iter().map(|store| store.ways.as_slice()).collect();
    assert_eq!(ways, [&[Way::Member, Way::Loaded][..], &[Way::Given]]);
    assert!(stores(text, 0, 8).list.is_empty() && stores(text, 0, 8).is_complete);
    let without = stores(&text.replace("store i32 6, %at", "fence"), 8, 8);
    assert_eq!(without.behind[0].1.len(), 1);
}

#[test]
fn a_failed_search_proves_nothing_where_others_write() {
    let exported = FORMS.replace("global internal @gv", "global @gv");
    assert!(stores(&exported, 8, 8).is_complete);
    let open = stores_in(&exported, 8, 8, World::Open);
    assert!(open.list.is_empty() && !open.is_complete && !open.is_written_once());
}
