import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { barChart, type ChartSlot, scaleMaximum } from '../../../src/web/html/chart.ts';
import { render } from '../../../src/web/html/html.ts';

const MESSAGES = messagesFor('en');
const CHART = {
  ...{ id: 'chart', title: 'Sign-ins', headline: '70', unit: 'in total', empty: 'Nothing.', when: 'Day' },
  marks: ['1', '2', '3'],
  summary: 'Sign-ins: 70 in all.',
  number: String,
};
const renderChart = (...slots: ChartSlot[]) => render(barChart({ ...CHART, slots }, MESSAGES));
const readRows = (markup: string) =>
  [...markup.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(([, label, cells = '']) => [
    label,
    ...[...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell),
  ]);

test("a chart's scale ends at a round number that can be halved", () => {
  expect([1, 2, 3, 5, 7, 9, 11, 39, 41, 99, 101, 999, 1_000_001].map(scaleMaximum)).toEqual([
    2, 2, 4, 6, 8, 10, 20, 40, 60, 100, 200, 1000, 2_000_000,
  ]);
  expect([0, 0.3, 0.07].map(scaleMaximum)).toEqual([2, 0.4, 0.08]);
});

describe('a bar chart', () => {
  const markup = renderChart(
    { label: 'Monday', value: 10 },
    { label: 'Tuesday', value: undefined },
    { label: 'Wednesday', value: 0 },
    { label: 'Thursday', value: 40, unfinished: true },
  );

  test('has bars with heights proportional to the values', () => {
    expect(
      [...markup.matchAll(/<path[^>]* d="M[\d.]+ 0V([\d.]+)h/g)].map(([, height]) => Number(height)),
    ).toEqual([25, 100]);
    expect([...markup.matchAll(/<span>(\d+)<\/span>/g)].map(([, figure]) => figure)).toEqual(
      expect.arrayContaining(['40', '20', '0']),
    );
  });

  test('marks an unfinished day in the chart and the table', () => {
    expect(markup).toMatch(/class="chart-unfinished"[^>]*><title>Thursday \(so far\): 40</);
    expect(markup.match(/class="chart-unfinished"/g)).toHaveLength(1);
  });

  test('has a text summary and a table', () => {
    expect(markup).toContain('role="img" aria-label="Sign-ins: 70 in all."');
    expect(readRows(markup)).toEqual([
      ['Monday', '10'],
      ['Tuesday', '–'],
      ['Wednesday', '0'],
      ['Thursday (so far)', '40'],
    ]);
    expect(markup).toContain('<caption class="visually-hidden">Sign-ins</caption>');
  });

  test('shows small values', () => {
    const markup = renderChart({ label: 'a', value: 1 }, { label: 'b', value: 100_000 });
    expect(markup).toContain('0V1h');
  });

  test('is replaced with a message if there are no values', () => {
    const markup = renderChart({ label: 'a', value: 0 }, { label: 'b', value: undefined });
    expect(markup).not.toContain('<svg');
    expect(markup).toContain('Nothing.');
  });

  test('escapes the labels', () => {
    expect(renderChart({ label: '"><i>', value: 1 })).not.toContain('<i>');
  });
});
