// What the service keeps of the refused requests of an application or an API, once it has written it.
import type { NewApi } from '../../src/store/apis.ts';
import { listObservations } from '../../src/store/observations.ts';
import {
  type ApiRefusalRow,
  listRefusals,
  listRefusalsOfApi,
  type RefusalRow,
} from '../../src/store/refusals.ts';
import type { TestApplication, TestService } from './service.ts';

/** All refusals that are kept of an application, latest first. */
export async function refusalsOf(
  service: TestService,
  { clientId }: Pick<TestApplication, 'clientId'>,
): Promise<RefusalRow[]> {
  await service.parts.diagnostics.flush();
  return listRefusals(service.parts.database, clientId);
}

/** All that the owner of an API finds of refusals of it and about it, latest first. */
export async function refusalsOfApi(
  service: TestService,
  { apiId }: Pick<NewApi, 'apiId'>,
): Promise<ApiRefusalRow[]> {
  await service.parts.diagnostics.flush();
  return listRefusalsOfApi(service.parts.database, apiId);
}

/** The latest one, by what it says. */
export async function lastRefusal(service: TestService, application: TestApplication) {
  const [last] = await refusalsOf(service, application);
  if (last === undefined) throw new Error('nothing has been kept');
  const { kind, facts, authenticated, held, error, endpoint } = last;
  return { kind, facts, authenticated, held, error, endpoint };
}

/** The signals that an application was seen giving, sorted. */
export async function signalsOf(service: TestService, { clientId }: TestApplication): Promise<string[]> {
  await service.parts.diagnostics.flush();
  return (await listObservations(service.parts.database, clientId)).map(({ signal }) => signal);
}
