//! Is each file of `--image` a build of what was sampled?
//!
//! It stands in for a file that ran and has the same build-id. One that has the build-id of nothing
//! that ran stands in for nothing: it is told by name, with both build-ids, and the status is that of
//! a wrong command line. What was sampled is reported all the same, since a run may have taken long.
//! A file without a build-id can never be matched, and one that is no image is none; both are refused
//! before anything runs.
//!
//! Input: the files, and what was mapped while samples were taken. Cost: reading the files' headers.
//! Limit: an image with code of the right build-id and other bytes is not told apart.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::files::from_here;
use opcost_run::image::SampledImage;
use opcost_sample::MappedFile;

/// Refuses files that can replace nothing.
///
/// # Errors
/// One cannot be read, is no image or has no build-id.
pub fn check(images: &[PathBuf]) -> Result<(), Failure> {
    for image in images {
        let about = std::fs::metadata(image).map_err(Failure::file("read", image))?;
        if !about.is_file() || SampledImage::build_id(image).is_none() {
            return Err(Failure::Usage(format!(
                "--image {}: it has no build-id, by which it would be matched; name the build as it was linked",
                from_here(image)
            )));
        }
    }
    Ok(())
}

/// How the files differ from a program that cannot be read by itself.
pub fn unlike_program(images: &[PathBuf], program: &Path) -> Option<String> {
    let ran = MappedFile { path: from_here(program), build_id: SampledImage::build_id(program) };
    others(images, std::slice::from_ref(&ran))
}

/// Which files are builds of nothing that ran; none if there are none of that kind.
pub fn others(images: &[PathBuf], mapped: &[MappedFile]) -> Option<String> {
    let words: Vec<String> = images.iter().filter_map(|image| other(image, mapped)).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn other(image: &Path, mapped: &[MappedFile]) -> Option<String> {
    let own = SampledImage::build_id(image);
    let is_same = |file: &&MappedFile| match (&own, &file.build_id) {
        // `perf` keeps 20 bytes.
        (Some(own), Some(ran)) => own.get(..20).unwrap_or(own) == ran.get(..20).unwrap_or(ran),
        _ => false,
    };
    if mapped.iter().any(|file| is_same(&file)) {
        return None;
    }
    let is_namesake = |file: &&MappedFile| Path::new(&file.path).file_name() == image.file_name();
    let has_id = mapped.iter().filter(|file| file.build_id.is_some());
    let ran =
        has_id.clone().find(is_namesake).or_else(|| has_id.clone().find(|file| !file.path.contains(".so")));
    let own = own.as_deref().map_or("none".to_owned(), hexadecimal);
    let name = from_here(image);
    Some(match ran {
        Some(MappedFile { path, build_id: Some(ran) }) => format!(
            "--image {name} is another build than what ran: its build-id is {own}, and that of {path} is {}",
            hexadecimal(ran)
        ),
        _ => format!(
            "--image {name} is no build of what ran: its build-id is {own}, and nothing that ran has that"
        ),
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
