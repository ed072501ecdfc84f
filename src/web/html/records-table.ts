// Tables whose rows become cards on narrow screens.
import { type Html, html, type Renderable } from './html.ts';

export function recordsTable(table: {
  caption: string;
  headings: readonly string[];
  rows: readonly (readonly Renderable[])[];
}): Html {
  const isWide = table.headings.length > 5;
  return html`<div class="records-container${isWide && ' records-container--many'}"><table class="records">
<caption class="visually-hidden">${table.caption}</caption>
<thead>
<tr>${table.headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr>
</thead>
<tbody>
${table.rows.map(
  (
    cells,
  ) => html`<tr>${cells.map((cell, column) => html`<td data-heading="${table.headings[column]}"><div>${cell}</div></td>`)}</tr>
`,
)}</tbody>
</table></div>`;
}
