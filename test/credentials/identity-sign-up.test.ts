// Copying profile pictures from identity providers at sign-up.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { copyPicture } from '../../src/credentials/identity-sign-up.ts';
import type { ReleasedSlotProof } from '../../src/outgoing/guarded-request.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { findFreePort } from '../support/free-port.ts';
import { createTwoColorPicture } from '../support/pictures.ts';
import { useTestService } from '../support/service.ts';

const service = useTestService();

test.each([
  ['an image', 200, () => createTwoColorPicture(40, 40).png().toBuffer(), true],
  ['a file that isn’t an image', 200, () => Buffer.from('<svg/>'), false],
  ['an error', 404, () => createTwoColorPicture(40, 40).png().toBuffer(), false],
] as const)(
  'copyPicture copies only pictures (response: %s)',
  async (_case, status, createFile, isCopied) => {
    const file = await createFile();
    const server = createServer((_request, response) => response.writeHead(status).end(file));
    const port = await findFreePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { userId, email } = await service.createUser();
    const source = { userId, ip: '127.0.0.1', url: `http://127.0.0.1:${port}/nina.png` };
    const proof = {} as ReleasedSlotProof;
    expect(await copyPicture(service.services, source, proof, service.clock.now())).toBe(isCopied);
    const { pictureHash } = (await findUserByEmail(service.services.database, email)) ?? {};
    expect(pictureHash).toEqual(isCopied ? expect.any(String) : null);
    await new Promise((resolve) => server.close(resolve));
  },
);
