// The example application « Carnet », registered with the service and listening on a free port.
import { buildClient } from '../../examples/client/app.ts';
import type { Application } from '../../src/applications/registration.ts';
import { freePort, type TestApplication, type TestService } from './service.ts';

export interface ExampleClient {
  baseUrl: string;
  application: TestApplication;
  close(): Promise<void>;
}

/**
 * @param fields what the registration says beside the callback
 * @param host the name under which browsers know it; cookies of one host are shared by all its ports
 */
export async function startExampleClient(
  service: TestService,
  fields: Partial<Application> = {},
  host = 'localhost',
): Promise<ExampleClient> {
  const port = await freePort();
  const baseUrl = `http://${host}:${port}`;
  const application = await service.createApplication({
    redirectUris: [`${baseUrl}/callback`],
    postLogoutRedirectUris: [`${baseUrl}/signed-out`],
    ...fields,
  });
  const app = await buildClient({
    issuer: service.baseUrl,
    clientId: application.clientId,
    clientSecret: application.clientSecret,
    baseUrl,
    serviceName: service.parts.config.serviceName,
    scope: 'openid profile email',
  });
  await app.listen({ host: '127.0.0.1', port });
  return { baseUrl, application, close: () => app.close() };
}
