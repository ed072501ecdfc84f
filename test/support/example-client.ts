// Registers the example application and starts it on a free port.
import { buildClient } from '../../examples/client/app.ts';
import type { ClientRegistration } from '../../src/clients/registration.ts';
import { findFreePort, type TestClient, type TestService } from './service.ts';

export interface ExampleClient {
  baseUrl: string;
  client: TestClient;
  close(): Promise<void>;
}

/** @param host unique, because clients on the same host share cookies */
export async function startExampleClient(
  service: TestService,
  fields: Partial<ClientRegistration> = {},
  host = 'localhost',
): Promise<ExampleClient> {
  const port = await findFreePort();
  const baseUrl = `http://${host}:${port}`;
  const application = await service.createClient({
    redirectUris: [`${baseUrl}/callback`],
    postLogoutRedirectUris: [`${baseUrl}/signed-out`],
    ...fields,
  });
  const app = await buildClient({
    issuer: service.baseUrl,
    clientId: application.clientId,
    clientSecret: application.clientSecret,
    baseUrl,
    serviceName: service.services.config.serviceName,
    scope: 'openid profile email',
  });
  await app.listen({ host: '127.0.0.1', port });
  return { baseUrl, client: application, close: () => app.close() };
}
