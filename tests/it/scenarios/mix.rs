//! `[traffic.mix]`: what is refused.

use simnet::scenario::{Overrides, read};

/// Says why a mix of these parts is refused.
fn refusal(parts: &str) -> String {
    let text = format!(
        "[scenario]\nname = 'mix'\n[topology.ring]\nswitches = 3\n[routing]\nalgorithm = 'updown'\n[traffic.mix]\n\
         payload = '32 B'\nloads = [0.1]\nparts = [{parts}]\n"
    );
    match read("mix.toml", text.as_bytes(), &Overrides::default()) {
        Ok(_) => String::new(),
        Err(refusal) => refusal.to_string(),
    }
}

/// Wrong if a mix that is none, or whose shares do not make the whole, were run as something else.
#[test]
fn what_is_no_mix_is_refused() {
    let uniform = "{ share = '60 %', pattern = 'uniform' }";
    for (parts, why) in [
        ("", "no mix of several patterns"),
        ("{ share = '100 %', pattern = 'uniform' }", "no mix of several patterns"),
        (&format!("{uniform}, {{ share = '30 %', pattern = 'permutation' }}"), "the shares make 90 %"),
        (&format!("{uniform}, {{ share = '40 %', pattern = 'hot-spot' }}"), "`hosts` is missing"),
        (&format!("{uniform}, {{ share = '40 %', pattern = 'hot-spot', hosts = [] }}"), "no hot host"),
        (&format!("{uniform}, {{ share = '40 %', pattern = 'hot-spot', hosts = ['h9'] }}"), "h9"),
        (
            &format!("{uniform}, {{ share = '40 %', pattern = 'uniform', hosts = ['h1'] }}"),
            "`hosts` means nothing",
        ),
        (
            &format!("{uniform}, {{ share = '40 %', pattern = 'uniform', pairs = {{ h0 = 'h1' }} }}"),
            "`pairs` means nothing",
        ),
        (&format!("{uniform}, {{ share = '40 %', pattern = 'transpose' }}"), "power of two"),
        (&format!("{uniform}, {{ share = '40 %', pattern = 'unifrom' }}"), "uniform"),
        (&format!("{uniform}, {{ pattern = 'permutation' }}"), "`share` is missing"),
    ] {
        let said = refusal(parts);
        assert!(said.contains(why), "{parts}: {said}");
    }
    assert_eq!(refusal(&format!("{uniform}, {{ share = '40 %', pattern = 'permutation' }}")), "");
}
