// Times in Chromium: said in the reader's zone with UTC in the title, lately as people think of it; without JavaScript in UTC.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enter, openBrowser, openTab, type TabOptions } from '../support/browser.ts';
import { signedInBrowser } from '../support/flow.ts';
import { sql } from '../support/populate.ts';
import { type TestUser, useTestService } from '../support/service.ts';

const browser = await openBrowser();
const service = useTestService();
let user: TestUser;
beforeAll(async () => {
  user = await service.createUser();
  await signedInBrowser(service, user);
  await service.parts.usage.flush();
  await sql(
    service.parts.database,
    `update sessions set auth_time = '2026-11-01T20:30:15Z', last_seen_at = '2026-11-01T20:30:15Z'`,
  );
});
afterAll(() => browser?.close());

/** What the page of sessions says of the one that was last seen on that evening, with its titles. */
async function times(options: TabOptions, readAt = '2026-11-02T20:30:40Z') {
  return (await typesetTimes(options, readAt)).map((text) => text?.replaceAll('\u00a0', ' '));
}

/** The same with the spaces at which no line ends. */
async function typesetTimes(options: TabOptions, readAt: string) {
  const { page, context, faults } = await openTab(browser, options);
  await page.clock.setFixedTime(new Date(readAt));
  await enter(page, { service, user });
  await page.goto(`${service.baseUrl}/account/sessions`);
  const [seen, begun] = await page.locator('time[datetime="2026-11-01T20:30:15.000Z"]').all();
  const said = [
    await seen?.textContent(),
    await seen?.getAttribute('title'),
    await begun?.textContent(),
    await begun?.getAttribute('title'),
  ];
  expect(faults).toEqual([]);
  await context.close();
  return said;
}

describe.skipIf(browser === undefined)('times', () => {
  test('are said in the reader’s zone, UTC in the title', async () => {
    expect(await times({ zone: 'Asia/Tokyo' })).toEqual([
      'hier',
      '2 novembre 2026 à 5 h 30 min 15 s (1er novembre 2026 à 20 h 30 min 15 s UTC)',
      '2 novembre 2026 à 5 h 30',
      '1er novembre 2026 à 20 h 30 UTC',
    ]);
    expect(await times({ zone: 'America/New_York', language: 'en' })).toEqual([
      'yesterday',
      '1 November 2026 at 15:30:15 (1 November 2026 at 20:30:15 UTC)',
      '1 November 2026 at 15:30',
      '1 November 2026 at 20:30 UTC',
    ]);
  });

  test('lately are said as people think of them', async () => {
    for (const [readAt, words] of [
      ['2026-11-01T20:30:20Z', 'à l’instant'],
      ['2026-11-01T20:39:20Z', 'il y a 9 minutes'],
      ['2026-11-07T12:00:00Z', 'il y a 6 jours'],
      ['2026-11-08T23:30:00Z', 'le 1er novembre 2026 à 21 h 30'],
    ] as const)
      expect((await times({ zone: 'Europe/Paris' }, readAt))[0]).toBe(words);
  });

  test('break before the hour, and nowhere else', async () => {
    const lines = async (language: 'fr' | 'en') => {
      const [seen] = await typesetTimes({ zone: 'Europe/Paris', language }, '2026-11-24T12:00:00Z');
      return seen?.split(' ');
    };
    expect(await lines('fr')).toEqual(['le\u00a01er\u00a0novembre\u00a02026', 'à\u00a021\u00a0h\u00a030']);
    expect(await lines('en')).toEqual(['1\u00a0November\u00a02026', 'at\u00a021:30']);
  });

  /** What the page of the password and passkeys says of a sign-in on that evening, read in that year. */
  async function inShort(options: TabOptions, year: number) {
    const { page, context, faults } = await openTab(browser, options);
    await page.clock.setFixedTime(new Date(`${year}-11-30T12:00:00Z`));
    await enter(page, { service, user });
    await sql(
      service.parts.database,
      `update events set at = '2026-11-01T20:30:15Z' where kind = 'signed_in'`,
    );
    await page.goto(`${service.baseUrl}/account/security`);
    const signIn = page.locator('#sign-ins time').first();
    const said = [await signIn.textContent(), await signIn.getAttribute('title')];
    expect(faults).toEqual([]);
    await context.close();
    return said.map((words) => words?.replaceAll('\u00a0', ' '));
  }

  test('one below the other are short, with the year where it is another one', async () => {
    expect(await inShort({ zone: 'Europe/Paris' }, 2026)).toEqual([
      '1er nov., 21 h 30',
      '1er novembre 2026 à 21 h 30 min 15 s (1er novembre 2026 à 20 h 30 min 15 s UTC)',
    ]);
    const tokyo = { zone: 'Asia/Tokyo', language: 'en' } as const;
    expect(await inShort(tokyo, 2026)).toEqual([
      '2 Nov, 05:30',
      '2 November 2026 at 05:30:15 (1 November 2026 at 20:30:15 UTC)',
    ]);
    expect((await inShort({ zone: 'Europe/Paris' }, 2027))[0]).toBe('1er nov. 2026, 21 h 30');
    expect((await inShort(tokyo, 2027))[0]).toBe('2 Nov 2026, 05:30');
    expect(await inShort({ javaScript: false }, 2026)).toEqual(['1er nov. 2026, 20 h 30 UTC', undefined]);
  });

  test('are said in UTC without JavaScript', async () => {
    expect(await times({ zone: 'Asia/Tokyo', javaScript: false })).toEqual([
      'le 1er novembre 2026 à 20 h 30 UTC',
      undefined,
      '1er novembre 2026 à 20 h 30 UTC',
      undefined,
    ]);
  });
});
