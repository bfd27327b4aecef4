//! The table of a sweep as Parquet, or the message where simnet was built without it.

use std::path::Path;
use std::process::{Command, Output};

use super::small as sweep;

/// Runs a small sweep into a folder, then merges it with `--parquet`.
fn merged(room: &Path) -> Output {
    let (file, out) = (room.join("sweep.toml"), room.join("out"));
    sweep::write(&file, "typed", 2, 2, 50);
    sweep::run(&file, &out, &[]);
    let mut merge = Command::new(env!("CARGO_BIN_EXE_simnet"));
    merge.args(["sweep", "merge", "--parquet"]).arg(&out).output().unwrap()
}

/// Wrong if the option were ignored, or its user left without a hint.
#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_says_how_to_get_it() {
    let room = tempfile::tempdir().unwrap();
    let output = merged(room.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--features parquet"));
    assert!(!room.path().join("out/points.parquet").exists());
}

/// Wrong if a cell of the Parquet file were not that of the CSV.
#[cfg(feature = "parquet")]
#[test]
fn the_parquet_file_is_the_csv() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    let room = tempfile::tempdir().unwrap();
    let output = merged(room.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let csv = String::from_utf8(sweep::table(&room.path().join("out"))).unwrap();
    let file = std::fs::File::open(room.path().join("out/points.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut rows = 0;
    for (row, line) in reader.get_row_iter(None).unwrap().zip(&mut lines) {
        let row = row.unwrap();
        let found = row.get_column_iter().map(|(name, _)| name.as_str());
        assert!(found.eq(names.iter().copied()), "{names:?}");
        for ((_, field), cell) in row.get_column_iter().zip(line.split(',')) {
            match field {
                Field::Null => assert_eq!(cell, ""),
                Field::Bool(value) => assert_eq!(cell, value.to_string()),
                Field::Long(value) => assert_eq!(cell, value.to_string()),
                Field::Double(value) => assert!(cell.parse::<f64>().unwrap().to_bits() == value.to_bits()),
                Field::Str(value) => assert_eq!(cell, value),
                other => panic!("{other:?}"),
            }
        }
        rows += 1;
    }
    assert_eq!((rows, lines.next()), (16, None));
}
