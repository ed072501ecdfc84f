// Extracts the browser and the operating system from a User-Agent header.

// The first match wins because most browsers also name the browser that they are based on.
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

const OPERATING_SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export interface BrowserInfo {
  browser: string | undefined;
  system: string | undefined;
}

/** Returns undefined for an unknown browser or system because security alerts must not name the wrong one. */
export function parseUserAgent(userAgent: string): BrowserInfo {
  const findName = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (!userAgent.startsWith('Mozilla/5.0 ')) return { browser: undefined, system: undefined };
  return { browser: findName(BROWSERS), system: findName(OPERATING_SYSTEMS) };
}

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'unknown';

/** @param userAgent Android phones send "Mobile", but Android tablets don't */
export function getDeviceKind(system: string | null | undefined, userAgent = 'Mobile'): DeviceKind {
  if (!system) return 'unknown';
  if (system === 'iPad') return 'tablet';
  if (system === 'Android') return /\bMobile\b/.test(userAgent) ? 'phone' : 'tablet';
  return system === 'iPhone' ? 'phone' : 'computer';
}
