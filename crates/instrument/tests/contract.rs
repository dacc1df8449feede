//! Is `fuel/1` what its page says?
//!
//! Limits are written in `fuel/1`, so it must not change. The guide's page has the hash of all that
//! the table charges. Who changes the table has to change its name, and not this page.
//!
//! Limit: the hash is of the table. What sizes and lengths cost is code, and the sessions of the page
//! hold it by examples.

use std::path::Path;

use opcost_instrument::CostModel;

#[test]
fn fuel_1_is_what_its_page_says() {
    let hash = CostModel::from_name("fuel/1").expect("opcost has fuel/1").facts().hash;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src/fuel-1.md");
    let page = std::fs::read_to_string(&path).expect("the page of fuel/1");
    assert!(
        page.contains(&format!("The hash of the table is `{hash}`.")),
        "fuel/1 is a contract that never changes, and now its hash is {hash}. A table that charges \
         otherwise is fuel/2; before the first release the page may take the new hash."
    );
}
