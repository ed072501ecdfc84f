// The connection tester as an agent: this service's own document, by which it asks for a token as any other agent would (D54).

/** Where a test comes back to. */
export const TESTER_CALLBACK = '/console/connection-test';
export const TESTER_DOCUMENT = '/connection-tester.json';

/** What it is called by. */
export const testerAddress = (baseUrl: string): string => `${baseUrl}${TESTER_DOCUMENT}`;

/** What it says of itself. */
export const testerDocument = ({ baseUrl, serviceName }: { baseUrl: string; serviceName: string }) => ({
  client_id: testerAddress(baseUrl),
  client_name: `Test · ${serviceName}`,
  redirect_uris: [`${baseUrl}${TESTER_CALLBACK}`],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});
