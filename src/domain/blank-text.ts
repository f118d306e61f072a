/** A text without any visible character. U+2800 is the blank Braille pattern. */
const blank = /^[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether nothing of a text is visible: it is empty, white space, or characters that show nothing. */
export function isBlank(text: string): boolean {
  return blank.test(text);
}
