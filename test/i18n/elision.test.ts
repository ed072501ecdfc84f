// Proves the elision before names: vowels and mute h run together with « de », h aspiré and consonants do not.
import { expect, test } from 'vitest';
import { de } from '../../src/i18n/elision.ts';

const together =
  'Agenda|agenda|Écho|Évreux|Île|Œuvres|Ærø|Uber|Yves|Ypres|Hélice|Hélène|Hélios|Henri|Hermès|Hippolyte|Honoré|Hubert|Hugo|' +
  'Hugues|Habitat|Harmonie|Haltères|Hallucinations|Hadrien|Hébergement|Heures creuses|Herbier|Héritage|Héroïne|Hexagone|' +
  'Hiver|Histoires|Hirondelle|Homme|Horizon|Hôtel|Hôpital|Hospices|Hostilités|Honneur|Honoraires|Horaires|Horloge|' +
  'Huile|Huître|Humanité|Humeur|Hydre|Hymne|Hypermarché|Hypothèse|Annuaire & Cie|«Atelier»';

const apart =
  'Carnet|carnet|Zèbre|Çakes|Hollande|Hambourg|Hangar|Haricot|Harpe|Hasard|Havre|Haut-Rhin|Hackathon|Hello|Help|Hérisson|' +
  'Héros|Heurts|Hibou|Hip-hop|Hobby|Hockey|Home|Hong Kong|Hongrie|Hop|Host|Hors-série|Hot|Houle|Hub|HubSpot|Huit|Hutte|' +
  'Hype|HTML|Onze|OneDrive|Oui|Yahoo|Yoga|1Password|8 heures|東京|';

test('« de » before a name', () => {
  const names = [
    ...together.split('|').map((name) => `d’${name}`),
    ...apart.split('|').map((name) => `de ${name}`),
  ];
  expect(names.length).toBeGreaterThan(85);
  expect(names.map((said) => de(said.replace(/^(d’|de )/, '')))).toEqual(names);
});
