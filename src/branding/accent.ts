// Validates the contrast of the accent color and derives page and email colors from it.

export interface AccentColors {
  accent: Hex;
  hover: Hex;
  on: Hex;
  wash: Hex;
}

export interface Accent {
  light: AccentColors;
  dark: AccentColors;
}

/** Background colors in public/styles/tokens.css. */
export const BACKGROUNDS = {
  light: { paper: '#fbfaf7', surface: '#ffffff' },
  dark: { paper: '#15131f', surface: '#1f1c2d' },
} as const satisfies Record<string, Record<string, Hex>>;

export const DEFAULT_ACCENT: Accent = {
  light: { accent: '#4f46e5', hover: '#4338ca', on: '#ffffff', wash: '#eef0ff' },
  dark: { accent: '#a5b4fc', hover: '#c7d2fe', on: '#1e1b4b', wash: '#29264a' },
};

const MIN_CONTRAST = 4.5;
/** Higher than on light pages because light text on a dark background looks thinner. */
const MIN_DARK_CONTRAST = 7;
const WASH_MIX_RATIO = { light: 0.09, dark: 0.14 };
const HOVER_MIX_RATIO = { light: 0.15, dark: 0.35 };
const CONTRASTING_COLOR = { light: '#000000', dark: '#ffffff' } as const;

/** Returns an error message if the contrast on light pages is too low. */
export function validateAccent(color: Hex): string | undefined {
  const backgrounds = Object.values(BACKGROUNDS.light);
  const contrasts = backgrounds.map((background) => ({ background, ratio: contrast(color, background) }));
  const lowest = contrasts.reduce((least, current) => (current.ratio < least.ratio ? current : least));
  if (lowest.ratio >= MIN_CONTRAST) return undefined;
  const readableShade = mixToContrast(color, CONTRASTING_COLOR.light, backgrounds, MIN_CONTRAST);
  // Truncate because rounding would show 4.499 as 4.50.
  const ratio = (Math.floor(lowest.ratio * 100) / 100).toFixed(2);
  return `${color} is not readable on light pages: its contrast with ${lowest.background} is ${ratio}:1 and must be at least 4.5:1. Use ${readableShade}, for example`;
}

export function deriveAccent(color: Hex | undefined): Accent {
  if (color === undefined) return DEFAULT_ACCENT;
  const dark = mixToContrast(
    color,
    CONTRASTING_COLOR.dark,
    Object.values(BACKGROUNDS.dark),
    MIN_DARK_CONTRAST,
  );
  return { light: deriveColors(color, 'light'), dark: deriveColors(dark, 'dark') };
}

function deriveColors(accent: Hex, theme: 'light' | 'dark'): AccentColors {
  const { paper, surface } = BACKGROUNDS[theme];
  return {
    accent,
    hover: mix(accent, CONTRASTING_COLOR[theme], HOVER_MIX_RATIO[theme]),
    on: theme === 'light' ? surface : paper,
    wash: mixToContrast(mix(surface, accent, WASH_MIX_RATIO[theme]), surface, [accent], MIN_CONTRAST),
  };
}

/** How much black is mixed into the accent color, from 0 to 1. */
const ILLUSTRATION_SHADES = {
  light: { night: 0.66, frame: 0.5, leaf: 0.12, panel: 0.25 },
  dark: { night: 0.85, frame: 0.65, leaf: 0.3, panel: 0.4 },
};

export function renderAccentStyles({ light, dark }: Accent): string {
  const renderTokens = (theme: 'light' | 'dark', colors: AccentColors) =>
    [
      ['accent', colors.accent],
      ['accent-hover', colors.hover],
      ['on-accent', colors.on],
      ['accent-wash', colors.wash],
      ...Object.entries(ILLUSTRATION_SHADES[theme]).map(([name, black]) => [
        name,
        mix(light.accent, '#000000', black),
      ]),
    ]
      .map(([name, color]) => `--${name}: ${color};`)
      .join(' ');
  return `:root { ${renderTokens('light', light)} }
@media (prefers-color-scheme: dark) { :root { ${renderTokens('dark', dark)} } }
`;
}

export type Hex = `#${string}`;

export function parseHex(text: string): Hex | undefined {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase() as Hex;
  if (/^#[0-9a-f]{3}$/i.test(text)) return text.toLowerCase().replace(/[0-9a-f]/g, '$&$&') as Hex;
  return undefined;
}

export function contrast(first: Hex, second: Hex): number {
  const [lighter = 0, darker = 0] = [computeLuminance(first), computeLuminance(second)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function mix(color: Hex, other: Hex, share: number): Hex {
  const [from, to] = [parseBytes(color), parseBytes(other)];
  const mixed = from.map((byte, i) => Math.round(byte + ((to[i] ?? 0) - byte) * share));
  return `#${mixed.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export function mixToContrast(color: Hex, other: Hex, backgrounds: readonly Hex[], ratio: number): Hex {
  for (let percent = 0; percent < 100; percent++) {
    const mixed = mix(color, other, percent / 100);
    if (backgrounds.every((background) => contrast(mixed, background) >= ratio)) return mixed;
  }
  return other;
}

const computeLuminance = (color: Hex): number => {
  const [r = 0, g = 0, b = 0] = parseBytes(color).map((byte) => {
    const channel = byte / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const parseBytes = (color: Hex): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
