// This service's own part in the connection tester: whether it lets agents in, and whether what it says of that arrives at its
// public address, where a proxy may answer in its place (D54).
import type { Config } from '../config.ts';
import { testerAddress } from '../oauth/connection-tester.ts';
import { objectIn } from '../oauth/json.ts';
import { metadataForAgents, serverMetadataAddress } from '../oauth/server-metadata.ts';
import {
  guardedRequest,
  type OffSlot,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingFaultKind,
} from '../outgoing/guarded-request.ts';
import { MOST, StepFault, said, type TesterParts, type Unreached, WITHIN } from './connection-test.ts';
import { type AgentDocuments, AgentUnreadable } from './documents.ts';

/** What came from the public address, step by step; a fault where nothing did. */
type OwnAnswers = Record<'metadata' | 'identity', OutgoingAnswer | OutgoingFault>;

/**
 * Asks the public address for what agents read there. Both addresses are made from the settings and of nothing that anybody typed:
 * that is why they may be on this machine or in its network.
 */
export async function askOwnAddress(
  { config, within = WITHIN }: TesterParts,
  offSlot: OffSlot,
): Promise<OwnAnswers> {
  const { production, baseUrl } = config;
  // In development the name may be one that the system alone knows.
  const reach = { production, loopback: !production, own: baseUrl };
  const headers = { accept: 'application/json' };
  const answerOf = (address: string) =>
    guardedRequest(address, { headers, within, most: MOST }, reach, offSlot).catch((error) => {
      if (error instanceof OutgoingFault) return error;
      throw error;
    });
  const [metadata, identity] = await Promise.all([
    answerOf(serverMetadataAddress(baseUrl)),
    answerOf(testerAddress(baseUrl)),
  ]);
  return { metadata, identity };
}

const SILENCES: readonly OutgoingFaultKind[] = ['unknown-name', 'refused', 'timeout', 'failed'];
const isSilent = (answer: OutgoingAnswer | OutgoingFault): answer is OutgoingFault & { kind: Unreached } =>
  answer instanceof OutgoingFault && SILENCES.includes(answer.kind);

/**
 * Why the public address cannot be asked from here. Many a service does not reach its own, and agents do: so that is no fault. An address
 * that answers one of the two questions is reached, and then no answer to the other is one.
 */
export const silenceOf = ({ metadata, identity }: OwnAnswers): Unreached | undefined =>
  isSilent(metadata) && isSilent(identity) ? metadata.kind : undefined;

/** Whether agents read there what this service says. @throws StepFault */
export function checkMetadata({ config }: { config: Config }, answers: OwnAnswers): void {
  if (silenceOf(answers) !== undefined) return;
  const document = ownDocument('metadata', answers, 'issuer', config.baseUrl);
  const { client_id_metadata_document_supported, registration_endpoint } = document;
  const told = metadataForAgents(config);
  if (
    client_id_metadata_document_supported !== told.client_id_metadata_document_supported ||
    registration_endpoint !== told.registration_endpoint
  )
    throw new StepFault(
      'metadata',
      'outdated',
      // One that is missing is said to be, too.
      said({
        client_id_metadata_document_supported: client_id_metadata_document_supported ?? null,
        registration_endpoint: registration_endpoint ?? null,
      }),
    );
}

/** Whether this service takes the agent of the test, and its document is where it is looked for. @throws StepFault */
export async function identify(
  { config, agents }: { config: Config; agents: AgentDocuments },
  ip: string,
  answers: OwnAnswers,
  offSlot: OffSlot,
): Promise<void> {
  const clientId = testerAddress(config.baseUrl);
  try {
    await agents.read(clientId, ip, offSlot);
  } catch (error) {
    if (!(error instanceof AgentUnreadable) || error.kind === 'faulty') throw error;
    throw new StepFault('identity', error.kind, error.message);
  }
  if (silenceOf(answers) === undefined) ownDocument('identity', answers, 'client_id', clientId);
}

/**
 * The document that a step is about, which names this service. Of an answer that is none, its head alone is shown: the rest may be what
 * only this network is to see.
 * @throws StepFault
 */
function ownDocument(
  step: 'metadata' | 'identity',
  { [step]: answer }: OwnAnswers,
  member: string,
  expected: string,
): Record<string, unknown> {
  if (answer instanceof OutgoingFault)
    // The system's own words would hold addresses of this network.
    throw new StepFault(step, 'swallowed', answer.kind === 'failed' ? '' : answer.message);
  const { status, headers, body } = answer;
  const document = status === 200 ? objectIn(body) : undefined;
  const named = document?.[member];
  if (document === undefined || typeof named !== 'string')
    throw new StepFault(
      step,
      'swallowed',
      `HTTP ${status} ${headers.location ?? headers['content-type'] ?? ''}`,
    );
  if (named !== expected) throw new StepFault(step, 'notOurs', `${member}: ${named}`);
  return document;
}
