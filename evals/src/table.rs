//! Tables on standard output, in Markdown, so that a report can take them as they are.

use std::io::{Write, stdout};

/// A table that grows by rows and is printed whole.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads. The first column is text, the others are numbers.
    pub(crate) fn new<S: ToString>(heads: &[S]) -> Self {
        Table { rows: vec![heads.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints it, followed by an empty line.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        writeln!(stdout(), "{}", self.render())?;
        Ok(())
    }

    /// The table as text.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(2)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            text.push('|');
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let pad = " ".repeat(width - cell.chars().count());
                let (before, after) =
                    if column == 0 { ("", pad.as_str()) } else { (pad.as_str(), "") };
                text.push_str(&format!(" {before}{cell}{after} |"));
            }
            text.push('\n');
            if number == 0 {
                let rule = |(column, width): (usize, &usize)| match column {
                    0 => format!("{}|", "-".repeat(width + 2)),
                    _ => format!("{}:|", "-".repeat(width + 1)),
                };
                text.push('|');
                text.extend(widths.iter().enumerate().map(rule));
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_left_and_numbers_right() {
        let mut table = Table::new(&["queries", "n"]);
        table.row(vec!["all".to_owned(), "1234".to_owned()]);
        table.row(vec!["größer".to_owned(), "5".to_owned()]);
        let expected =
            "| queries |    n |\n|---------|-----:|\n| all     | 1234 |\n| größer  |    5 |\n";
        assert_eq!(table.render(), expected);
    }
}
