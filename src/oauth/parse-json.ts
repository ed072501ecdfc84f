// Parses untrusted JSON.

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns undefined for anything other than a JSON object. */
export function parseJsonObject(json: string): Record<string, unknown> | undefined {
  const parsed = parseJson(json);
  return isObject(parsed) ? parsed : undefined;
}
