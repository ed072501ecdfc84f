// French elision of "de" before vowels and mute h.
import { expect, test } from 'vitest';
import { withDe } from '../../src/i18n/elision.ts';

const ELIDED_NAMES =
  'Agenda|agenda|Écho|Évreux|Île|Œuvres|Ærø|Uber|Yves|Ypres|Hélice|Hélène|Hélios|Henri|Hermès|Hippolyte|Honoré|Hubert|Hugo|' +
  'Hugues|Habitat|Harmonie|Haltères|Hallucinations|Hadrien|Hébergement|Heures creuses|Herbier|Héritage|Héroïne|Hexagone|' +
  'Hiver|Histoires|Hirondelle|Homme|Horizon|Hôtel|Hôpital|Hospices|Hostilités|Honneur|Honoraires|Horaires|Horloge|' +
  'Huile|Huître|Humanité|Humeur|Hydre|Hymne|Hypermarché|Hypothèse|Annuaire & Cie|«Atelier»';

const NAMES_WITHOUT_ELISION =
  'Carnet|carnet|Zèbre|Çakes|Hollande|Hambourg|Hangar|Haricot|Harpe|Hasard|Havre|Haut-Rhin|Hackathon|Hello|Help|Hérisson|' +
  'Héros|Heurts|Hibou|Hip-hop|Hobby|Hockey|Home|Hong Kong|Hongrie|Hop|Host|Hors-série|Hot|Houle|Hub|HubSpot|Huit|Hutte|' +
  'Hype|HTML|Onze|OneDrive|Oui|Yahoo|Yoga|1Password|8 heures|東京|';

test('"de" is elided before vowels and mute h', () => {
  const names = [
    ...ELIDED_NAMES.split('|').map((name) => `d’${name}`),
    ...NAMES_WITHOUT_ELISION.split('|').map((name) => `de ${name}`),
  ];
  expect(names.length).toBeGreaterThan(85);
  expect(names.map((name) => withDe(name.replace(/^(d’|de )/, '')))).toEqual(names);
});
