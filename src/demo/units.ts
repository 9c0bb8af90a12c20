/**
 * Units of everyday quantities, and the conversion between two of the same quantity.
 */

interface Unit {
  readonly quantity: 'length' | 'mass' | 'volume' | 'temperature';
  /** One of it in the quantity's base unit (m, kg, l, K). */
  readonly scale: number;
  /** Where its zero lies, in the base unit. */
  readonly zero?: number;
}

/** Every unit, by its symbol. */
export const units: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ['mm', { quantity: 'length', scale: 0.001 }],
  ['cm', { quantity: 'length', scale: 0.01 }],
  ['m', { quantity: 'length', scale: 1 }],
  ['km', { quantity: 'length', scale: 1_000 }],
  ['in', { quantity: 'length', scale: 0.0254 }],
  ['ft', { quantity: 'length', scale: 0.3048 }],
  ['mi', { quantity: 'length', scale: 1_609.344 }],
  ['g', { quantity: 'mass', scale: 0.001 }],
  ['kg', { quantity: 'mass', scale: 1 }],
  ['oz', { quantity: 'mass', scale: 0.028349523125 }],
  ['lb', { quantity: 'mass', scale: 0.45359237 }],
  ['ml', { quantity: 'volume', scale: 0.001 }],
  ['l', { quantity: 'volume', scale: 1 }],
  ['gal', { quantity: 'volume', scale: 3.785411784 }],
  ['K', { quantity: 'temperature', scale: 1 }],
  ['C', { quantity: 'temperature', scale: 1, zero: 273.15 }],
  ['F', { quantity: 'temperature', scale: 5 / 9, zero: 459.67 * (5 / 9) }],
]);

/** The quantities there are units of, in the order of the table. */
export const quantities: readonly string[] = [...new Set([...units.values()].map(({ quantity }) => quantity))];

/** The symbols of the units of one quantity; empty for an unknown one. */
export function unitsOf(quantity: string): string[] {
  return [...units].filter(([, unit]) => unit.quantity === quantity).map(([symbol]) => symbol);
}

/** `value` in unit `from`, expressed in unit `to`, to 10 significant digits. Throws when a unit is unknown or the two do not measure the same quantity. */
export function convert(value: number, from: string, to: string): number {
  const source = unit(from);
  const target = unit(to);
  if (source.quantity !== target.quantity) {
    throw new Error(`${from} measures ${source.quantity}, ${to} measures ${target.quantity}`);
  }
  const base = value * source.scale + (source.zero ?? 0);
  return Number(((base - (target.zero ?? 0)) / target.scale).toPrecision(10));
}

function unit(symbol: string): Unit {
  const found = units.get(symbol);
  if (found === undefined) throw new Error(`unknown unit "${symbol}"; known: ${[...units.keys()].join(', ')}`);
  return found;
}
