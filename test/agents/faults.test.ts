// Whoever goes on naming what cannot be read must not fill a process's memory.
import { expect, test } from 'vitest';
import { rememberFaults } from '../../src/agents/document-reads.ts';

test('of faults a thousand are remembered: the oldest makes room', () => {
  const faults = rememberFaults<number>(() => new Date(0));
  for (let number = 0; number < 1000; number++) faults.add(`https://a${number}.example/client.json`, number);
  expect(faults.of('https://a0.example/client.json')).toBe(0);
  faults.add('https://a1000.example/client.json', 1000);
  expect(faults.of('https://a0.example/client.json')).toBeUndefined();
  expect(faults.of('https://a1.example/client.json')).toBe(1);
  expect(faults.of('https://a1000.example/client.json')).toBe(1000);
});
