//! The client's messages as they travel: a header that tells the length, then
//! JSON. What is malformed is answered and skipped, so that one bad message
//! ends nothing; [`lsp_server::Message::read`] would end the stream there, and
//! trusts any length.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Notification, Request};
use serde_json::{Value, json};

/// Bytes of one message at most; of a longer one nothing is kept.
const LARGEST_MESSAGE: u64 = 256 << 20;
/// Bytes of one line of a header at most.
const LONGEST_LINE: u64 = 8 << 10;

/// A message of the client's.
#[derive(Debug)]
pub(crate) enum Incoming {
    Request(Request),
    Notification(Notification),
    /// The answer to a question of ours; none of them needs one.
    Response,
    /// Nothing that can be understood, and why.
    Malformed {
        code: ErrorCode,
        message: String,
    },
}

/// Reads the next message; `None` at the end of the stream.
///
/// # Errors
/// What the stream says.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = header(input)? else { return Ok(None) };
    let Some(length) = length else {
        return Ok(Some(malformed("the header has no Content-Length")));
    };
    if length > LARGEST_MESSAGE {
        io::copy(&mut input.take(length), &mut io::sink())?;
        let most = LARGEST_MESSAGE >> 20;
        return Ok(Some(malformed(format!("a message has at most {most} MB"))));
    }
    let mut body = Vec::new();
    if (&mut *input).take(length).read_to_end(&mut body)? < length as usize {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(value) => message(value),
        Err(error) => malformed(format!("the message is no JSON: {error}")),
    }))
}

/// Answers a message that could not be read. Its id is not known, which the
/// protocol writes as null and [`lsp_server::Response`] cannot say.
///
/// # Errors
/// What the stream says.
pub(crate) fn refuse(output: &mut impl Write, code: ErrorCode, message: &str) -> io::Result<()> {
    let error = json!({ "code": code as i32, "message": message });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// Reads a header. `None` at the end of the stream, `Some(None)` when the
/// header does not tell the length.
fn header(input: &mut impl BufRead) -> io::Result<Option<Option<u64>>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut *input).take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_ascii();
        if text.is_empty() {
            return Ok(Some(length));
        }
        if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim_ascii().parse().ok();
        }
    }
}

fn message(value: Value) -> Incoming {
    let invalid = |message: &str| Incoming::Malformed {
        code: ErrorCode::InvalidRequest,
        message: message.to_string(),
    };
    let has = |key| value.get(key).is_some();
    match (has("method"), has("id")) {
        (true, true) => match serde_json::from_value(value) {
            Ok(request) => Incoming::Request(request),
            Err(_) => invalid("a request has a method, and an id of 32 bits or text"),
        },
        (true, false) => match serde_json::from_value(value) {
            Ok(notification) => Incoming::Notification(notification),
            Err(_) => invalid("a method is text"),
        },
        (false, true) => Incoming::Response,
        (false, false) => invalid("the message has neither method nor id"),
    }
}

fn malformed(message: impl Into<String>) -> Incoming {
    Incoming::Malformed { code: ErrorCode::ParseError, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut bytes: &[u8]) -> Vec<Incoming> {
        std::iter::from_fn(|| read(&mut bytes).unwrap()).collect()
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_malformed_does_not_hide_what_follows() {
        let good = framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        let bad = [
            framed("{"),
            framed(""),
            framed("[1, 2]"),
            framed("\u{FEFF}{}"),
            framed(r#"{"id":5000000000,"method":"x"}"#),
            framed(r#"{"method":5}"#),
            framed(&"[".repeat(100_000)),
            "Content-Length: x\r\n\r\n".into(),
            "\r\n".into(),
            "nonsense\n\n".into(),
        ];
        for bad in bad {
            let list = all(format!("{bad}{good}").as_bytes());
            assert!(
                matches!(&list[..], [Incoming::Malformed { .. }, Incoming::Request(_)]),
                "{bad:.60}: {list:.200?}"
            );
        }
    }

    #[test]
    fn a_stream_that_breaks_off_is_at_its_end() {
        for text in [
            "",
            "Content-",
            "Content-Length: 5\r\n",
            "Content-Length: 5\r\n\r\n{",
            "Content-Length: 99999999999999\r\n\r\n{}",
        ] {
            let list = all(text.as_bytes());
            assert!(!list.iter().any(|one| matches!(one, Incoming::Request(_))), "{text}");
        }
    }
}
