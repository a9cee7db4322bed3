/** Lower-cased words of letters, digits and underscores (Unicode), as Python's `re.findall(r"\w+", text.lower())`. */
export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
