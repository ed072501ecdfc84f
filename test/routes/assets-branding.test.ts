// What an operator put in place of ours, as it is served: the accent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { header } from '../support/expect-error.ts';
import { httpRequest } from '../support/http-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

let ours: TestService;
let own: TestService;
beforeAll(async () => {
  ours = await startTestService();
  own = await startTestService({ ACCENT_COLOR: '#0b6e4f' });
});
afterAll(() => Promise.all([ours.close(), own.close()]));

const fetchFrom = (service: TestService, path: string) => httpRequest(service.parts.config.port, path);

describe('the accent', () => {
  test('stands last in the stylesheet of every page, for light and dark, under an ETag of its own', async () => {
    const [before, after] = [await fetchFrom(ours, '/sesame.css'), await fetchFrom(own, '/sesame.css')];
    expect(after.text.startsWith(before.text)).toBe(true);
    const added = after.text.slice(before.text.length);
    expect(added).toMatch(/^:root \{ --accent: #0b6e4f; [^}]+\}\n@media \(prefers-color-scheme: dark\)/);
    expect(header(after, 'etag')).not.toBe(header(before, 'etag'));
  });

  test('leaves the button alone, whose rules fix its colours (contract §1)', async () => {
    const [before, after] = [await fetchFrom(ours, '/button.css'), await fetchFrom(own, '/button.css')];
    expect(after.text).toBe(before.text);
  });
});
