/**
 * Letters of other scripts, and punctuation, that are drawn like ASCII ones in common fonts and that NFKC leaves as they are.
 * A selection of Unicode's confusables (UTS #39): the ones that spell ordinary words, paths and commands.
 */
const PAIRS =
  // Cyrillic
  'аa вb еe һh іi ѕs јj кk мm нh оo рp сc тt уy хx ԁd ԛq ԝw ѵv ӏl гr ьb ' +
  // Greek
  'αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw γy ϲc ϳj ' +
  // Capitals, which are not always drawn like the capitals of the above
  'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ҮY ХX ԌG ԚQ ԜW ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ' +
  // Latin, Armenian, Cherokee and others
  'ıi ɑa ɡg ɩi ʏy ʟl ʀr ꜱs ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz ʙb ɢg ʜh ɪi ɴn օo ոn սu հh ցg զq ' +
  // Punctuation
  '‐- ‒- –- —- −- ⁃- ˗- ∕/ ⁄/ ⧸/ ╱/ ⟋/ ∖\\ ⧵\\ ⧹\\ ꞉: ∶: ː: ˸: ․. ‚, ʼ\' ‘\' ’\' “" ”" ∣| ǀ| ∼~ ⁓~ ∗* ⁎*';

const toAscii = new Map(PAIRS.split(' ').map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const));
const LOOK_ALIKE = new RegExp(`[${[...toAscii.keys()].join('')}]`, 'gu');
const FOREIGN_PUNCTUATION = new RegExp(`[${[...toAscii.keys()].filter((key) => !/\p{L}/u.test(key)).join('')}]`, 'u');
const WORD = /\p{L}+/gu;

/** With each look-alike as the ASCII character that it looks like. */
export function withoutLookAlikes(text: string): string {
  return text.replace(LOOK_ALIKE, (character) => toAscii.get(character) ?? character);
}

/** Whether a reader may take it for something else: punctuation that is not what it seems, or a word of two scripts. */
export function looksLikeAnother(text: string): boolean {
  if (FOREIGN_PUNCTUATION.test(text)) return true;
  for (const [word] of text.matchAll(WORD)) {
    if (/[A-Za-z]/.test(word) && withoutLookAlikes(word) !== word) return true;
  }
  return false;
}
