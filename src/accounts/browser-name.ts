// What a browser says of itself, in two words a person recognises: which browser, on which system.

// First match wins: most browsers also name those that they are built on.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPT|OPX)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bDuckDuckGo\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export interface Device {
  browser: string | undefined;
  system: string | undefined;
}

/** Reads a User-Agent header. What is not known stays undefined: a wrong name would frighten more than none. */
export function readDevice(userAgent: string): Device {
  const first = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  // What is no browser names itself as it likes.
  if (!userAgent.startsWith('Mozilla/5.0 ')) return { browser: undefined, system: undefined };
  return { browser: first(BROWSERS), system: first(SYSTEMS) };
}
