// Reads values of unknown types from imported data.
import { isObject } from '../oauth/parse-json.ts';

export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const asId = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : asString(value);

export const asObjects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const asStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

export const joinNames = (...names: unknown[]): string | undefined =>
  asString(names.map(asString).filter(Boolean).join(' '));

/** Returns other values unchanged so that validation can refuse them. */
export function toIsoDate(value: unknown): unknown {
  const time = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const date = typeof time === 'number' ? new Date(time) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? value : date.toISOString();
}
