// What no fault from outside may do to a process.
import { expect } from 'vitest';
import { caughtUp, type ServiceProcess } from './process.ts';

/** It still runs, and has nothing fatal or unhandled to tell of. */
export async function expectUnharmed(service: ServiceProcess): Promise<void> {
  expect(service.hasEnded()).toBe(false);
  expect((await caughtUp(service)).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(service.output()).not.toMatch(/unhandled/i);
}
