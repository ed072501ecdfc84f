// Charts: drawn from zero to a round number, true to their figures, and said in words and in a table.
import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { barChart, type Slot, topOf } from '../../../src/web/html/chart.ts';
import { render } from '../../../src/web/html/html.ts';

const MESSAGES = messagesFor('en');
const FRAME = {
  ...{ id: 'chart', title: 'Sign-ins', headline: '70', unit: 'in total', empty: 'Nothing.', when: 'Day' },
  marks: ['1', '2', '3'],
  summary: 'Sign-ins: 70 in all.',
  number: String,
};
const bars = (...slots: Slot[]) => render(barChart({ ...FRAME, slots }, MESSAGES));
const cellsOf = (markup: string) =>
  [...markup.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(([, label, cells = '']) => [
    label,
    ...[...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell),
  ]);

test('a scale ends with a round number that is no less than the most, and whose half is one, too', () => {
  expect([1, 2, 3, 5, 7, 9, 11, 39, 41, 99, 101, 999, 1_000_001].map(topOf)).toEqual([
    2, 2, 4, 6, 8, 10, 20, 40, 60, 100, 200, 1000, 2_000_000,
  ]);
  expect([0, 0.3, 0.07].map(topOf)).toEqual([2, 0.4, 0.08]);
});

describe('bars', () => {
  const markup = bars(
    { label: 'Monday', value: 10 },
    { label: 'Tuesday', value: undefined },
    { label: 'Wednesday', value: 0 },
    { label: 'Thursday', value: 40, unfinished: true },
  );

  test('stand on zero, as high as their figure on a scale from zero', () => {
    expect(
      [...markup.matchAll(/<path[^>]* d="M[\d.]+ 0V([\d.]+)h/g)].map(([, height]) => Number(height)),
    ).toEqual([25, 100]);
    expect([...markup.matchAll(/<span>(\d+)<\/span>/g)].map(([, figure]) => figure)).toEqual(
      expect.arrayContaining(['40', '20', '0']),
    );
  });

  test('one that is not finished is drawn otherwise, and said to be', () => {
    expect(markup).toMatch(/class="chart-unfinished"[^>]*><title>Thursday \(so far\): 40</);
    expect(markup.match(/class="chart-unfinished"/g)).toHaveLength(1);
  });

  test('are one picture with its summary in words, and a table of every figure; what is not known is not zero', () => {
    expect(markup).toContain('role="img" aria-label="Sign-ins: 70 in all."');
    expect(cellsOf(markup)).toEqual([
      ['Monday', '10'],
      ['Tuesday', '–'],
      ['Wednesday', '0'],
      ['Thursday (so far)', '40'],
    ]);
    expect(markup).toContain('<caption class="unseen">Sign-ins</caption>');
  });

  test('what is there at all is seen, however little it is', () => {
    const little = bars({ label: 'a', value: 1 }, { label: 'b', value: 100_000 });
    expect(little).toContain('0V1h');
  });

  test('of nothing there is no picture: it says so', () => {
    const nothing = bars({ label: 'a', value: 0 }, { label: 'b', value: undefined });
    expect(nothing).not.toContain('<svg');
    expect(nothing).toContain('Nothing.');
  });

  test('names are text', () => {
    expect(bars({ label: '"><i>', value: 1 })).not.toContain('<i>');
  });
});
