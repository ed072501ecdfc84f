// Offering an API to another account, as the pages of offers know it.
import { API_OFFERS } from '../../../apis/transfers.ts';
import type { OfferSection } from '../transfer.ts';
import { APIS, ownedApi } from './frame-view.ts';
import { ownApi } from './own.ts';

export const apiTransfers: OfferSection = {
  page: APIS,
  url: `${APIS}/:api_id`,
  offering: API_OFFERS,
  find: async (request, parts) => ownedApi(await ownApi(request, parts)),
  words: ({ apis }) => apis.transfer,
  notice: 'api_transfer_offered',
};
