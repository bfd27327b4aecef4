//! A reader of HTML that knows nothing of who wrote it: tags, attributes and texts, as a browser would see them. It
//! takes less than a browser does; whatever it does not know, it panics at.

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `<name attributes>`.
    Open(String, Vec<(String, String)>),
    /// `</name>`.
    Close(String),
    /// What stands between tags, with character references resolved but in scripts and styles.
    Text(String),
}

/// Elements that never have content.
const VOID: [&str; 6] = ["meta", "input", "br", "hr", "img", "link"];

/// The pieces of a document.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut rest = text.strip_prefix("<!DOCTYPE html>").expect("it begins with the doctype");
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let Some(inside) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            tokens.push(Token::Text(resolved(&rest[..end])));
            rest = &rest[end..];
            continue;
        };
        if let Some(name) = inside.strip_prefix('/') {
            let end = name.find('>').expect("a tag ends");
            tokens.push(Token::Close(name[..end].to_owned()));
            rest = &name[end + 1..];
            continue;
        }
        let (name, attributes, after) = tag(inside);
        rest = after;
        // Drawings have elements that close themselves.
        if let Some(after) = rest.strip_prefix("/>") {
            tokens.push(Token::Open(name.clone(), attributes));
            tokens.push(Token::Close(name));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('>').expect("a tag ends");
        let raw = ["script", "style", "title"].contains(&name.as_str());
        if raw {
            // The content ends where the element does, whatever quotes or comments it may stand in.
            let end = content_end(rest, &name);
            assert!(!rest[..end].contains("<!--"), "a comment changes how a script ends");
            let content = if name == "title" { resolved(&rest[..end]) } else { rest[..end].to_owned() };
            tokens.push(Token::Open(name, attributes));
            tokens.push(Token::Text(content));
            rest = &rest[end..];
        } else {
            tokens.push(Token::Open(name, attributes));
        }
    }
    balanced(&tokens);
    tokens
}

/// Where the element of this name ends whose content begins the text.
fn content_end(text: &str, name: &str) -> usize {
    let closes = |(at, _): &(usize, &str)| {
        text.get(at + 2..at + 2 + name.len()).is_some_and(|other| other.eq_ignore_ascii_case(name))
    };
    text.match_indices("</").find(closes).expect("the element ends").0
}

/// The name and the attributes of a tag, and what follows it.
fn tag(text: &str) -> (String, Vec<(String, String)>, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).expect("a tag ends");
    assert!(end > 0, "no tag begins so: <{}", text.chars().take(30).collect::<String>());
    let (name, mut rest) = text.split_at(end);
    let mut attributes: Vec<(String, String)> = Vec::new();
    loop {
        if rest.starts_with('>') || rest.starts_with("/>") {
            return (name.to_owned(), attributes, rest);
        }
        rest = rest.strip_prefix(' ').unwrap_or_else(|| panic!("<{name}: no blank before an attribute"));
        let end = rest.find(['=', ' ', '>', '/']).expect("an attribute's name ends");
        let key = &rest[..end];
        assert!(
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'),
            "attribute {key:?}"
        );
        rest = &rest[end..];
        let value = match rest.strip_prefix("=\"") {
            None => String::new(),
            Some(quoted) => {
                let end = quoted.find('"').expect("a value ends");
                rest = &quoted[end + 1..];
                resolved(&quoted[..end])
            }
        };
        assert!(attributes.iter().all(|(other, _)| other != key), "<{name}> has {key} twice");
        attributes.push((key.to_owned(), value));
    }
}

/// A text with its character references resolved.
fn resolved(text: &str) -> String {
    let mut resolved = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        resolved.push_str(&rest[..at]);
        let end = rest[at..].find(';').expect("a reference ends") + at;
        resolved.push(match &rest[at + 1..end] {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            other => {
                let number = other.strip_prefix('#').and_then(|digits| match digits.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok(),
                    None => digits.parse().ok(),
                });
                number.and_then(char::from_u32).unwrap_or_else(|| panic!("&{other}; is not known"))
            }
        });
        rest = &rest[end + 1..];
    }
    resolved + rest
}

/// Panics unless every element that opens closes, innermost first.
fn balanced(tokens: &[Token]) {
    let mut open: Vec<&str> = Vec::new();
    for token in tokens {
        match token {
            Token::Open(name, _) if !VOID.contains(&name.as_str()) => open.push(name),
            Token::Close(name) => assert_eq!(open.pop(), Some(name.as_str()), "what closes was opened"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

impl Token {
    /// An attribute of the tag.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<&str> {
        let Token::Open(_, attributes) = self else { return None };
        attributes.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str())
    }

    /// The name of the element that begins here.
    pub(crate) fn opens(&self) -> Option<&str> {
        if let Token::Open(name, _) = self { Some(name) } else { None }
    }
}

/// The text inside the element that begins at `place`.
pub(crate) fn text_of(tokens: &[Token], place: usize) -> String {
    let mut depth = 0;
    let mut text = String::new();
    for token in &tokens[place..] {
        match token {
            Token::Open(name, _) if VOID.contains(&name.as_str()) => {}
            Token::Open(..) => depth += 1,
            Token::Close(_) => depth -= 1,
            Token::Text(part) => text.push_str(part),
        }
        if depth == 0 {
            break;
        }
    }
    text
}

#[test]
fn what_is_no_html_is_seen() {
    let read = |body: &str| std::panic::catch_unwind(|| tokens(&format!("<!DOCTYPE html>{body}"))).is_ok();
    assert!(read("<p title=\"a&lt;b\">x &amp; y</p><script>if (a<b) {}</script>"));
    for broken in
        ["<p>", "<p></b>", "<p a=b></p>", "<p/ a></p>", "a & b", "<p <b>></p>", "<", "<1>", "<script>x"]
    {
        assert!(!read(broken), "{broken}");
    }
}
