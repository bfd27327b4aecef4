//! Damaged certificates, each refused at its place.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use simnet_network::routing::{About, Attachments, Choices, Plan, verify, write_certificate};
use simnet_network::topology::{Network, generate};
use support_network::cases;
use support_network::damage::damage;

fn chain() -> Network {
    generate::build("mesh", &[("x", 4), ("y", 1), ("hosts-per-switch", 1)], 0)
        .or_else(|_| generate::build("ring", &[("switches", 4), ("hosts-per-switch", 1)], 0))
        .unwrap()
}

/// Of no files.
const DIGEST: &str = "0123456789abcdef0123456789abcdef";

/// The certificate of UP*/DOWN* there.
fn sound(net: &Network) -> String {
    let attachments = Attachments::lowest(net);
    let plan = Plan::new(net, &attachments, &Choices::default()).unwrap();
    let (_, dependencies) = plan.judge(net, &attachments);
    let mut text = Vec::new();
    let about = (About { pairs: 12, digest: Some(DIGEST) }, false);
    assert!(write_certificate(net, &dependencies, about, &mut text).unwrap());
    String::from_utf8(text).unwrap()
}

/// Wrong if a damaged certificate passed, or were refused for another reason or elsewhere.
#[test]
#[expect(clippy::too_many_lines, reason = "a row a damage")]
fn damaged_certificates_are_refused() {
    let net = chain();
    let text = sound(&net);
    verify(&net, None, "certificate", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len();
    let object = |nth: usize| serde_json::from_str::<serde_json::Value>(lines[nth]).unwrap();
    let with_next = (1..last).find(|nth| object(*nth)["then"][0].is_string()).unwrap();
    let (channel, next) = (object(with_next)["channel"].clone(), object(with_next)["then"][0].clone());
    let (channel, next) = (channel.as_str().unwrap(), next.as_str().unwrap());
    let line = |new: &str| text.replacen(lines[with_next], new, 1);
    let head = |from: &str, to: &str| text.replacen(from, to, 1);
    let named =
        |channel: &str, next: &str| line(&format!("{{\"channel\": {channel:?}, \"then\": [{next:?}]}}"));
    let mut far = (1..last).map(|nth| object(nth)["channel"].as_str().unwrap().to_owned());
    let switch = |name: &str| name.rsplit_once(':').unwrap().0.to_owned();
    // An output of another switch than the one that the channel leads to.
    let far = far.rfind(|name| switch(name) != switch(next)).unwrap();
    let at = with_next + 1;
    let count = format!("\"channels\": {}", last - 1);
    let alone = format!("{{\"channel\": {channel:?}, \"then\": []}}\n");
    let dependencies = text.split("\"dependencies\": ").nth(1).unwrap().split([',', '}']).next().unwrap();
    let header = lines[0].replace(&count, "\"channels\": 1");
    let header = header.replace(&format!("\"dependencies\": {dependencies}"), "\"dependencies\": 0");
    let alone = format!("{header}\n{alone}");
    let rows: Vec<(String, &str, usize)> = vec![
        (String::new(), "not-a-certificate", 1),
        ("{}\n".to_owned(), "not-a-certificate", 1),
        ("hello\n".to_owned(), "not-a-certificate", 1),
        (head("simnet-certificate/1", "simnet-certificate/2"), "not-a-certificate", 1),
        (head("simnet-certificate/1", "simnet-topology/1"), "not-a-certificate", 1),
        (text[lines[0].len() + 1..].to_owned(), "not-a-certificate", 1),
        (text[1..].to_owned(), "not-a-certificate", 1),
        (head(&count, "\"channels\": 1"), "wrong-count", 1),
        (head(&count, "\"channels\": -1"), "not-a-certificate", 1),
        (head(&count, "\"channels\": \"many\""), "not-a-certificate", 1),
        (head("\"dependencies\": ", "\"dependencies\": 1"), "wrong-count", 1),
        (head(&count, "\"n\": 0"), "not-a-certificate", 1),
        (head(&count, &format!("{count}, {count}")), "not-a-certificate", 1),
        (head("{", "{\"proves\": \"all\", "), "not-a-certificate", 1),
        (head(&net.name, "another"), "another-network", 1),
        (head("\"lanes\": 1", "\"lanes\": 99"), "wrong-count", 1),
        (head("\"lanes\": 1", "\"lanes\": 0"), "wrong-count", 1),
        (head("12 pairs", "9900 pairs"), "other-routes", 1),
        (head("12 pairs", "9,900 pairs"), "other-routes", 1),
        (head("12 pairs", "012 pairs"), "other-routes", 1),
        (head("12 pairs of hosts", "12 pairs of hosts and all others"), "other-routes", 1),
        (head("12 pairs of hosts", "everything"), "other-routes", 1),
        (head(DIGEST, "x"), "not-a-certificate", 1),
        (format!("{}\n", lines[0]), "wrong-count", 1),
        (text[..text.len() - 3].to_owned(), "certificate-line", last),
        (line(""), "certificate-line", at),
        (line("{}"), "certificate-line", at),
        (line("[]"), "certificate-line", at),
        (line("null"), "certificate-line", at),
        (line(&format!("{{\"channel\": {channel:?}}}")), "certificate-line", at),
        (line(&format!("{{\"channel\": {channel:?}, \"then\": {next:?}}}")), "certificate-line", at),
        (line(&format!("{{\"channel\": 1, \"then\": [{next:?}]}}")), "certificate-line", at),
        (line(&format!("{{\"channel\": {channel:?}, \"then\": [1]}}")), "certificate-line", at),
        (line(&format!("{{\"channel\": {channel:?}, \"then\": [{next:?}, {next:?}]}}")), "goes-back", at),
        (named("nowhere:1", next), "unknown-channel", at),
        (named("s0:99", next), "unknown-channel", at),
        (named("s0", next), "unknown-channel", at),
        (named(&channel.replace(':', ":0"), next), "unknown-channel", at),
        (named(&format!("{channel}/x"), next), "unknown-channel", at),
        (named(&format!("{channel}/01"), next), "unknown-channel", at),
        (named(&format!("{channel}/15"), next), "unknown-channel", at),
        (named(&format!("{channel}/0"), next), "mixed-spelling", at),
        (named("h0:0", next), "unknown-channel", at),
        (named(channel, "nowhere:1"), "no-neighbour", at),
        (named(channel, &far), "no-neighbour", at),
        (named(channel, &format!("{next}/0")), "mixed-spelling", at),
        (named(channel, &next.replace(':', ":0")), "no-neighbour", at),
        (format!("{text}{}\n", lines[with_next]), "goes-back", last + 1),
        (format!("{text}{{\"channel\": {channel:?}, \"then\": []}}\n"), "stands-twice", at),
        (format!("{text}\n"), "certificate-line", last + 1),
        (line(&lines[with_next].replacen('{', "{\"but\": 1, ", 1)), "certificate-line", at),
        (alone, "alone", 1),
    ];
    assert!(rows.len() >= 25);
    for (text, code, line) in rows {
        let faults = verify(&net, None, "certificate", text.as_bytes()).expect_err(code);
        let first = &faults.faults[0];
        assert_eq!((first.code, faults.place(first.span.start).0), (code, line), "{text}: {faults}");
    }
    assert!(verify(&net, None, "certificate", b"\xff").is_err());
}

/// Wrong if any damage made the check panic, or a certificate that was cut off anywhere passed.
#[test]
fn no_certificate_is_half_read() {
    let net = chain();
    let text = sound(&net);
    for end in 0..text.len() - 1 {
        assert!(verify(&net, None, "certificate", &text.as_bytes()[..end]).is_err(), "cut off at {end}");
    }
    for seed in 0..cases(20_000) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = text.as_bytes().to_vec();
        damage(&mut bytes, text.as_bytes(), &mut random);
        let _ = verify(&net, None, "certificate", &bytes);
    }
}
