// The logo of mails: a square PNG, ours or the operator's, whatever the file is; one that cannot be drawn costs no mail.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { logoOfMails, type MailImage } from '../../src/mail/logo.ts';
import { brandedHouse } from '../support/service.ts';

const never = (error: unknown) => {
  throw error;
};

/** What is in the middle and in the corner of it. */
async function look(image: MailImage | undefined) {
  const { data, info } = await sharp(image?.content)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray(4 * (y * info.width + x)).subarray(0, 4)];
  const { format } = await sharp(image?.content).metadata();
  return { format, size: [info.width, info.height], middle: at(48, 48), corner: at(1, 1) };
}

describe('the logo', () => {
  test('is ours where the operator has none, drawn once for all', async () => {
    const logo = await logoOfMails({ logo: undefined }, never)();
    expect(logo?.cid).toBe('logo');
    expect(logo?.content.length).toBeLessThan(5_000);
    expect(await look(logo)).toMatchObject({ format: 'png', size: [96, 96] });
  });

  test('is the operator’s', async () => {
    expect(await look(await logoOfMails(readConfig(brandedHouse()), never)())).toEqual({
      format: 'png',
      size: [96, 96],
      middle: [0x0b, 0x6e, 0x4f, 255],
      corner: [0, 0, 0, 0],
    });
  });

  test('that cannot be drawn is told of once, and mails go without it', async () => {
    const told: unknown[] = [];
    const broken = {
      type: 'image/png',
      content: Buffer.from('\x89PNG\r\n\x1a\n, and then words', 'latin1'),
    } as const;
    const logo = logoOfMails({ logo: broken }, (error) => told.push(error));
    expect([await logo(), await logo()]).toEqual([undefined, undefined]);
    expect(told).toHaveLength(1);
  });
});
