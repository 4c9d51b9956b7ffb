//! The built-in model: it is there, always the same, or says that it is not.

use nuthatch_models::Builtin;

#[cfg(not(feature = "builtin"))]
#[test]
fn a_build_without_weights_says_so() {
    let error = Builtin::new().err().expect("there are no weights");
    assert_eq!(error.kind(), nuthatch::error::Kind::Unavailable);
    assert!(error.hint().is_some());
}

#[cfg(feature = "builtin")]
mod with_weights {
    use nuthatch::embedder::{Embedder, Purpose};
    use nuthatch::recall::Calibration;
    use nuthatch::vector::Vector;
    use nuthatch_models::Kernel;
    use pollster::block_on;

    use super::Builtin;

    /// Hashes of the file and of its vectors, one a line.
    const WRITTEN_DOWN: &str = include_str!("../../weights/HASH");

    const TEXTS: [&str; 6] = [
        "Anna: We went to Lisbon in May and stayed near the river.",
        "The staging database listens on port 5433.",
        "東京に住んでいます。",
        "naïve café, snake_case and camelCase 🙂",
        "",
        "It rained all day. It rained all day. It rained all day. It rained all day.",
    ];

    fn embed(model: &Builtin, purpose: Purpose, texts: &[&str]) -> Vec<Vector> {
        block_on(model.embed(purpose, texts)).expect("texts are embedded")
    }

    #[test]
    fn strangers_lie_as_near_as_recall_takes_them_to_lie() {
        let model = Builtin::new().expect("the weights are there");
        let measured = block_on(Calibration::measure(&model)).expect("texts are embedded");
        let known = Calibration::known(&model.info().origin).expect("it is known");
        let near = |a: f64, b: f64| (a - b).abs() < 2e-3;
        let same =
            near(measured.strangers, known.strangers) && near(measured.deviation, known.deviation);
        assert!(same, "recall/calibrate.rs has {known:?}, this model {measured:?}");
    }

    #[test]
    fn its_hashes_are_those_written_down_with_every_kernel() {
        let file = include_bytes!("../../weights/nuthatch-embed.safetensors");
        let mut told = blake3::hash(file).to_hex().to_string();
        for kernel in Kernel::available() {
            let model = Builtin::with_kernel(kernel).unwrap();
            let mut hasher = blake3::Hasher::new();
            for purpose in [Purpose::Query, Purpose::Passage] {
                for vector in embed(&model, purpose, &TEXTS) {
                    assert_eq!(vector.dimensions(), model.info().dimensions);
                    let bytes: Vec<u8> = vector.components().iter().map(|x| *x as u8).collect();
                    hasher.update(&bytes);
                }
            }
            let vectors = hasher.finalize().to_hex();
            assert!(told.len() == 64 || told.ends_with(vectors.as_str()), "{kernel:?} differs");
            told = format!("{}\n{vectors}", &told[..64]);
        }
        assert_eq!(told, WRITTEN_DOWN.trim_end(), "weights/HASH is of another file");
    }

    #[test]
    fn it_says_what_it_is() {
        let info = Builtin::new().unwrap().info();
        assert_eq!(info.origin, "builtin");
        assert_eq!(info.hash, WRITTEN_DOWN.lines().next().unwrap());
        let id = format!("{}@{}#{}", info.name, info.version, &info.hash[..16]);
        assert_eq!(info.id.as_str(), id);
        assert!(!info.licence.is_empty());
    }

    #[test]
    fn an_answer_lies_nearer_to_its_question_than_another() {
        let model = Builtin::new().unwrap();
        let questions = ["where did Anna go on holiday?", "which port has the database?"];
        let questions = embed(&model, Purpose::Query, &questions);
        let answers = embed(&model, Purpose::Passage, &TEXTS[..2]);
        for (question, (right, wrong)) in questions.iter().zip([(0, 1), (1, 0)]) {
            assert!(question.cosine(&answers[right]) > question.cosine(&answers[wrong]) + 0.03);
        }
    }
}
