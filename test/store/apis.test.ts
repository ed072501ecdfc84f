import { afterAll, expect, test } from 'vitest';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

test('D45: an identifier is of one API alone, with a slash right after the origin or without', async () => {
  await service.createApi({ identifier: 'https://api.example/' });
  await expect(service.createApi({ identifier: 'https://api.example' })).rejects.toThrow('taken');
  await expect(service.createApi({ identifier: 'https://api.example/' })).rejects.toThrow('taken');
  await service.createApi({ identifier: 'https://api.example/v1' });
  await service.createApi({ identifier: 'https://api.example/v1/' });
});
