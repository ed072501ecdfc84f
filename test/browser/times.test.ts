// Times: local time zones, relative times, UTC without JavaScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openTab, signInInTab, type TabOptions } from '../support/browser.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const browser = await openBrowser();
const service = useTestService();
let user: TestUser;
beforeAll(async () => {
  user = await service.createUser({ isAdmin: true });
  await openSignedInBrowser(service, user);
  await service.services.usage.flush();
  await sql(
    service.services.database,
    `update sessions set auth_time = '2026-11-01T20:30:15Z', last_seen_at = '2026-11-01T20:30:15Z'`,
  );
});
afterAll(() => browser?.close());

/** @param now time of the browser's clock */
async function readTimes(options: TabOptions, now = '2026-11-02T20:30:40Z') {
  return (await readTimesWithNoBreakSpaces(options, now)).map((text) => text?.replaceAll('\u00a0', ' '));
}

async function readTimesWithNoBreakSpaces(options: TabOptions, now: string) {
  const { page, context, errors } = await openTab(browser, options);
  await page.clock.setFixedTime(new Date(now));
  await signInInTab(page, { service, user });
  await page.goto(`${service.baseUrl}/account/sessions`);
  const lastSeen = page.locator('time[datetime="2026-11-01T20:30:15.000Z"]').first();
  const texts = [await lastSeen.textContent(), await lastSeen.getAttribute('title')];
  expect(errors).toEqual([]);
  await context.close();
  return texts;
}

describe.skipIf(browser === undefined)('times', () => {
  test('are shown in the local time zone, with UTC in the tooltip', async () => {
    expect(await readTimes({ timeZone: 'Asia/Tokyo' })).toEqual([
      'hier',
      '2 nov. 2026 à 05:30:15 (1er nov. 2026 à 20:30:15 UTC)',
    ]);
    expect(await readTimes({ timeZone: 'America/New_York', language: 'en' })).toEqual([
      'yesterday',
      '1 Nov 2026, 15:30:15 (1 Nov 2026, 20:30:15 UTC)',
    ]);
  });

  test('are relative if they are recent', async () => {
    for (const [now, text] of [
      ['2026-11-01T20:24:00Z', 'le 1er nov. à 21 h 30'],
      ['2026-11-01T20:25:20Z', 'à l’instant'],
      ['2026-11-01T20:30:20Z', 'à l’instant'],
      ['2026-11-01T20:39:20Z', 'il y a 9 minutes'],
      ['2026-11-07T12:00:00Z', 'il y a 6 jours'],
      ['2026-11-08T23:30:00Z', 'le 1er nov. à 21 h 30'],
    ] as const)
      expect((await readTimes({ timeZone: 'Europe/Paris' }, now))[0]).toBe(text);
  });

  test('break only between the date and the hour', async () => {
    const readLines = async (language: 'fr' | 'en') => {
      const [lastSeen] = await readTimesWithNoBreakSpaces(
        { timeZone: 'Europe/Paris', language },
        '2026-11-24T12:00:00Z',
      );
      return lastSeen?.split(' ');
    };
    expect(await readLines('fr')).toEqual(['le\u00a01er\u00a0nov.', 'à\u00a021\u00a0h\u00a030']);
    expect(await readLines('en')).toEqual(['1\u00a0Nov,', '21:30']);
  });

  /** @param year year of the browser's clock */
  async function readTime(options: TabOptions, year: number) {
    const { page, context, errors } = await openTab(browser, options);
    await page.clock.setFixedTime(new Date(`${year}-11-30T12:00:00Z`));
    await signInInTab(page, { service, user });
    await sql(
      service.services.database,
      `update events set at = '2026-11-01T20:30:15Z' where kind = 'signed_in'`,
    );
    await page.goto(`${service.baseUrl}/account/activity`);
    const signIn = page.locator('main time').first();
    const texts = [await signIn.textContent(), await signIn.getAttribute('title')];
    expect(errors).toEqual([]);
    await context.close();
    return texts.map((text) => text?.replaceAll('\u00a0', ' '));
  }

  test('don’t include the current year', async () => {
    expect(await readTime({ timeZone: 'Europe/Paris' }, 2026)).toEqual([
      'le 1er nov. à 21 h 30',
      '1er nov. 2026 à 21:30:15 (1er nov. 2026 à 20:30:15 UTC)',
    ]);
    const tokyo = { timeZone: 'Asia/Tokyo', language: 'en' } as const;
    expect(await readTime(tokyo, 2026)).toEqual([
      '2 Nov, 05:30',
      '2 Nov 2026, 05:30:15 (1 Nov 2026, 20:30:15 UTC)',
    ]);
    expect((await readTime({ timeZone: 'Europe/Paris' }, 2027))[0]).toBe('le 1er nov. 2026 à 21 h 30');
    expect((await readTime(tokyo, 2027))[0]).toBe('2 Nov 2026, 05:30');
    expect(await readTime({ javaScript: false }, 2026)).toEqual([
      'le 1er nov. 2026 à 20 h 30 UTC',
      '1er nov. 2026 à 20:30:15 UTC',
    ]);
  });

  test('are shown in UTC if JavaScript is disabled', async () => {
    expect(await readTimes({ timeZone: 'Asia/Tokyo', javaScript: false })).toEqual([
      'le 1er nov. 2026 à 20 h 30 UTC',
      '1er nov. 2026 à 20:30:15 UTC',
    ]);
  });
});
