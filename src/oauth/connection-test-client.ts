// The connection test's metadata client and its metadata document.

export const TEST_REDIRECT_PATH = '/console/connection-test';
export const TEST_METADATA_PATH = '/connection-tester.json';

export const buildTestClientId = (baseUrl: string): string => `${baseUrl}${TEST_METADATA_PATH}`;

export const buildTestClientMetadata = ({
  baseUrl,
  serviceName,
}: {
  baseUrl: string;
  serviceName: string;
}) => ({
  client_id: buildTestClientId(baseUrl),
  client_name: `Test · ${serviceName}`,
  redirect_uris: [`${baseUrl}${TEST_REDIRECT_PATH}`],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});
