//! Paths and the URIs that editors name files by.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is written as `%HH`: all but what RFC 3986 never reserves, and what
/// keeps its meaning in a path.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':');

/// The file that a URI names. What is in no file, such as an unsaved buffer,
/// gets a path that no file has: the URI itself.
pub(crate) fn path_of(uri: &Uri) -> PathBuf {
    file_path(uri.as_str()).unwrap_or_else(|| PathBuf::from(uri.as_str()))
}

/// The URI of a path.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if !path.is_absolute() {
        return Uri::from_str(text).ok();
    }
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_string() };
    // `C:/x` and `//host/x` of Windows.
    let start = match text.strip_prefix("//") {
        Some(_) => "file:",
        None if text.starts_with('/') => "file://",
        None => "file:///",
    };
    let path = utf8_percent_encode(&text, ESCAPED);
    Uri::from_str(&format!("{start}{path}")).ok()
}

fn file_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    let rest = rest.strip_prefix("//").filter(|_| scheme.eq_ignore_ascii_case("file"))?;
    let rest = rest.split(['?', '#']).next()?;
    let path = percent_decode_str(rest).decode_utf8().ok()?;
    let path = path.strip_prefix("localhost").unwrap_or(&path);
    let path = match path.strip_prefix('/') {
        Some(drive) if cfg!(windows) && drive.as_bytes().get(1) == Some(&b':') => drive.into(),
        Some(_) => path.to_string(),
        None if cfg!(windows) => format!("//{path}"),
        None => return None,
    };
    Some(sda::plain_path(Path::new(&path)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn path(uri: &str) -> PathBuf {
        path_of(&Uri::from_str(uri).unwrap())
    }

    #[test]
    fn a_path_and_its_uri() {
        assert_eq!(path("file:///a/b%20c/%C3%A9.sda"), Path::new("/a/b c/é.sda"));
        assert_eq!(path("file:///a/x/../b.sda"), Path::new("/a/b.sda"));
        assert_eq!(path("file://localhost/a%3Ab"), Path::new("/a:b"));
        for name in ["/a/b c/é.sda", "/#?%/[x].sda", "/a:b"] {
            assert_eq!(path_of(&uri_of(Path::new(name)).unwrap()), Path::new(name));
        }
    }

    #[test]
    fn what_is_in_no_file_keeps_its_uri() {
        for uri in ["untitled:Untitled-1", "git:/a/b.sda?x", "file://host/a", "file:///%FF"] {
            assert_eq!(path(uri), Path::new(uri));
            assert_eq!(uri_of(&path(uri)).unwrap().as_str(), uri);
        }
    }
}
