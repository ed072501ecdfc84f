// Serves static files from a fixed map that is loaded at startup.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { deriveAccent, renderAccentStyles } from '../branding/accent.ts';
import { type ImageFile, wrapInSvg } from '../branding/image-file.ts';
import type { Config } from '../config.ts';
import {
  buttonStylesheetPath,
  cropScriptPath,
  fontPath,
  logoPath,
  pageScriptPath,
  passkeyScriptPath,
  stylesheetPath,
  webauthnScriptPath,
} from '../web/html/asset-paths.ts';

const CSS_TYPE = 'text/css; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const SVG_TYPE = 'image/svg+xml; charset=utf-8';

const STYLESHEETS = [
  'tokens',
  'page',
  'branding',
  'text',
  'forms',
  'passwords',
  'passkeys',
  'facts',
  'entries',
  'consent',
  'account-switcher',
  'illustration',
  'code',
  'admin',
  'charts',
  'account',
  'security',
  'overview',
  'events',
  'console',
  'diagnostics',
  'dev-mail',
  'print',
].map((name) => `styles/${name}.css`);

const WEBAUTHN_SCRIPT = readFileSync(
  join(
    dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser')),
    '../dist/bundle/index.umd.min.js',
  ),
);

interface Asset {
  type: string;
  content: Buffer;
  /** True if an administrator supplied the file. A content security policy blocks its scripts and requests. */
  untrusted?: boolean;
}

function loadAssets(config: Config): Record<string, Asset> {
  const logo = config.logo === undefined ? createBundle(SVG_TYPE, 'logo.svg') : createLogoAsset(config.logo);
  return {
    [stylesheetPath]: minify(
      createBundle(CSS_TYPE, ...STYLESHEETS, Buffer.from(renderBrandingStyles(config))),
    ),
    [buttonStylesheetPath]: createBundle(CSS_TYPE, 'button.css'),
    [fontPath]: createBundle('font/woff2', 'figtree.woff2'),
    // These scripts are one file because browsers open at most six HTTP/1.1 connections per host.
    [pageScriptPath]: minify(createBundle(SCRIPT_TYPE, 'page.js', 'copy.js', 'decision.js', 'retry.js')),
    [webauthnScriptPath]: { type: SCRIPT_TYPE, content: WEBAUTHN_SCRIPT },
    [passkeyScriptPath]: minify(createBundle(SCRIPT_TYPE, 'passkeys.js')),
    '/fields.js': minify(createBundle(SCRIPT_TYPE, 'fields.js')),
    [cropScriptPath]: minify(createBundle(SCRIPT_TYPE, 'crop.js')),
    '/submit.js': minify(createBundle(SCRIPT_TYPE, 'submit.js')),
    [logoPath]: logo,
    '/favicon.ico': logo,
  };
}

const createBundle = (type: string, ...sources: (string | Buffer)[]): Asset => ({
  type,
  content: Buffer.concat(
    sources.map((source) =>
      typeof source === 'string' ? readFileSync(new URL(`../public/${source}`, import.meta.url)) : source,
    ),
  ),
});

const minify = ({ type, content }: Asset): Asset => ({
  type,
  content: Buffer.from(
    content
      .toString('utf8')
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/^\s*\/\/.*$/gm, '')
      .replace(/^\s+/gm, ''),
  ),
});

const createLogoAsset = (image: ImageFile): Asset => ({
  type: SVG_TYPE,
  content: wrapInSvg(image),
  untrusted: true,
});

const renderBrandingStyles = ({ accentColor }: Config): string =>
  accentColor === undefined ? '' : renderAccentStyles(deriveAccent(accentColor));

export function assetRoutes(app: FastifyInstance, { config }: { config: Config }): void {
  for (const [path, { type, content, untrusted }] of Object.entries(loadAssets(config))) {
    const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
    // Compression is safe from BREACH attacks because assets contain no secrets.
    const isCompressible = /^(?:text|image\/svg)/.test(type);
    let compressed: Promise<Buffer> | undefined;
    app.get(path, quietInDevelopment(config), async (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=3600',
        // Other sites embed the logo and the sign-in button.
        'cross-origin-resource-policy': 'cross-origin',
        ...(untrusted && {
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
        }),
        vary: 'accept-encoding',
        etag,
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      reply.type(type);
      if (!isCompressible || !acceptsBrotli(request.headers['accept-encoding'])) return reply.send(content);
      // Compressing during startup would more than double the startup time.
      compressed ??= compress(content);
      return reply.header('content-encoding', 'br').send(await compressed);
    });
  }
}

export const quietInDevelopment = ({ development }: Config): { logLevel?: 'warn' } =>
  development ? { logLevel: 'warn' } : {};

const compress = promisify<Buffer, Buffer>(brotliCompress);

const acceptsBrotli = (encodings: string | string[] = ''): boolean =>
  /\bbr\b(?!\s*;\s*q=0)/.test(`${encodings}`);
