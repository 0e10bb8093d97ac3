import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyJsonEdits,
  formatPath,
  type JsonEdit,
  type PathStep,
  parseAssignment,
  parsePath,
} from '../../src/domain/json-path.ts';
import { SvcError } from '../../src/errors.ts';

const order =
  '{ "id": "ord_1", "total": 12.50, "items": [{ "sku": "A", "n": 1e400 }, { "sku": "B" }], "note": null }';
const add = (path: string, value: string): JsonEdit => ({ kind: 'add', path, value });
const override = (path: string, value: string): JsonEdit => ({ kind: 'override', path, value });
const remove = (path: string): JsonEdit => ({ kind: 'remove', path });

describe('applyJsonEdits', () => {
  it.each<[string, JsonEdit, string]>([
    ['overrides a field', override('total', '9.90'), '"total":9.90'],
    ['overrides null', override('note', '"x"'), '"note":"x"'],
    ['overrides inside a list', override('items[1].sku', '"C"'), '{"sku":"C"}]'],
    ['overrides the first item', override('items[0]', '0'), '"items":[0,{"sku":"B"}]'],
    ['overrides the last item', override('items[-1]', '0'), '"n":1e400},0],'],
    ['overrides a whole list', override('items', '[ 1.0, {} ]'), '"items":[1.0,{}]'],
    ['adds a field', add('gift', 'true'), '"note":null,"gift":true'],
    ['adds the next item of a list', add('items[2]', '{"sku":"C"}'), '{"sku":"B"},{"sku":"C"}]'],
    ['adds the parents of the path', add('to.lines[0].text', '"Hi"'), '"to":{"lines":[{"text":"Hi"}]}'],
    ['adds a field named like a prototype', add('__proto__.x', '1'), '"__proto__":{"x":1}'],
    ['counts from the end', override('items[-1].sku', '"C"'), '{"sku":"C"}]'],
    ['appends an item', add('items[].sku', '"C"'), '{"sku":"B"},{"sku":"C"}]'],
    ['begins a list', add('tags[]', '"new"'), '"tags":["new"]'],
    ['adds a field with a dot', add('meta["a.b"]', '1'), '"meta":{"a.b":1}'],
    ['adds a field in single quotes at the top', add("['x y'].z", '1'), '"x y":{"z":1}'],
    ['removes the last item', remove('items[-1]'), '"items":[{"sku":"A","n":1e400}]'],
    ['removes a field', remove('note'), '{"sku":"B"}]}'],
    ['removes an item of a list', remove('items[0]'), '"items":[{"sku":"B"}]'],
  ])('applyJsonEdits %s', (_, change, expected) => {
    expect(applyJsonEdits(order, [change])).toContain(expected);
  });

  it('applyJsonEdits keeps the text of everything that it does not change', () => {
    expect(applyJsonEdits(order, [override('id', '"ord_2"'), remove('note')])).toBe(
      '{"id":"ord_2","total":12.50,"items":[{"sku":"A","n":1e400},{"sku":"B"}]}',
    );
  });

  it('applyJsonEdits makes changes in order', () => {
    expect(applyJsonEdits('{}', [add('a', '1'), override('a', '2'), add('b', '3'), remove('a')])).toBe(
      '{"b":3}',
    );
  });

  it('applyJsonEdits prints any document as JSON.stringify does when nothing changes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
        const text = JSON.stringify(document);
        expect(applyJsonEdits(JSON.stringify(JSON.parse(text), null, 2), [])).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  it.each<[JsonEdit, RegExp]>([
    [override('totl', '1'), /^totl.* does not exist\./],
    [override('items[2].sku', '1'), /^items\[2\]\.sku.* does not exist\./],
    [remove('items[0].x'), /^items\[0\]\.x.* does not exist\./],
    [remove('items.length'), /^items\.length.* does not exist\./],
    [override('items[-3].sku', '1'), /^items\[-3\].* does not exist\./],
    [remove('items[]'), /^items\[\].* does not exist\./],
    [add('items[-1]', '1'), /^items\[-1\] already exists/],
    [add('total', '1'), /^total already exists/],
    [add('items[5]', '1'), /Nothing can be added at items\[5\].*the next index is \[2\]/],
    [add('items.sku', '1'), /Nothing can be added at items\.sku/],
    [add('items.2', '1'), /Nothing can be added at items\.2/],
    [add('items[-3]', '1'), /Nothing can be added at items\[-3\]/],
    [
      add('items[0][0]', '1'),
      /Nothing can be added at items\[0\]\[0\]: its parent is an object, not an array/,
    ],
    [add('total.amount', '1'), /Nothing can be added at total\.amount.*not an object/],
    ...['', '.', '.a', 'a.', 'a..b', 'a[b]', 'a[', 'a]', '[0]', 'a[-]', 'a[x]', 'a["b]', 'a["\\x"]'].map(
      (path): [JsonEdit, RegExp] => [add(path, '1'), /is not a valid path/],
    ),
  ])('applyJsonEdits refuses %j', (change, message) => {
    expect(() => applyJsonEdits(order, [change])).toThrow(SvcError);
    expect(() => applyJsonEdits(order, [change])).toThrow(message);
  });

  it.each([
    ['items[0].skuu', 'Did you mean items[0].sku?'],
    ['items.0.sku', 'Did you mean items[0].sku?'],
    ['payload.customer.name', 'Use one of the fields of the payload: id, total, items, note.'],
    ['items[0].warehouse', 'Use one of the fields of items[0]: sku, n.'],
    ['items[7].sku.length', 'Use an index of items, which has 2 items.'],
    ['total.amount_in_cents', 'End the path at total, which is 12.50.'],
  ])('the hint for the path %s says what exists instead', (path, hint) => {
    const change = () => applyJsonEdits(order, [remove(path)]);
    expect(change).toThrow(expect.objectContaining({ hint: { text: hint } }));
  });

  it.each([
    ['{"a":{}}', 'a.warehouse', 'Choose another path, because a is empty.'],
    ['{"a":[]}', 'a[0].sku', 'Choose another path, because a is empty.'],
    ['{"a":[1]}', 'a[0].sku.length', 'End the path at a[0], which is 1.'],
    ['{"a":{"x":1}}', 'a.warehouse', 'Use one of the fields of a: x.'],
  ])('the hint for %s and the path %s is %j', (text, path, hint) => {
    expect(() => applyJsonEdits(text, [remove(path)])).toThrow(
      expect.objectContaining({ hint: { text: hint } }),
    );
  });

  it('the hint writes the kinds of edits as the caller does', () => {
    const change = (edit: JsonEdit) => () => applyJsonEdits(order, [edit], (kind) => `--${kind}`);
    const hint = expect.stringMatching(/note\. Add a new value with --add\.$/);
    expect(change(override('gift', 'true'))).toThrow(expect.objectContaining({ hint: { text: hint } }));
    expect(change(add('total', '1'))).toThrow(
      expect.objectContaining({ hint: { text: 'Change it with --override.' } }),
    );
  });

  it('the hint suggests a name with a dot in quotes', () => {
    const change = () => applyJsonEdits('{"meta":{"a.b":1}}', [remove('meta["a,b"]')]);
    expect(change).toThrow(expect.objectContaining({ hint: { text: 'Did you mean meta["a.b"]?' } }));
  });
});

it('parsePath reads the path that formatPath writes for any steps', () => {
  const step = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  fc.assert(
    fc.property(fc.string(), fc.array(step, { maxLength: 4 }), (name, others) => {
      const steps: PathStep[] = [name, ...others];
      expect(parsePath(formatPath(steps))).toEqual(steps);
    }),
  );
});

describe('parseAssignment', () => {
  it.each([
    ['total=12.50', 'total', '12.50'],
    ['gift=true', 'gift', 'true'],
    ['code="12"', 'code', '"12"'],
    ['name=Zoë "Z" Nuñez', 'name', '"Zoë \\"Z\\" Nuñez"'],
    ['a.b[0]=x=y', 'a.b[0]', '"x=y"'],
    ['note=', 'note', '""'],
    ['to={"city":"Berlin"}', 'to', '{"city":"Berlin"}'],
    ['meta["a=b"].c=1', 'meta["a=b"].c', '1'],
    ["meta['a=b']=x", "meta['a=b']", '"x"'],
    ['items[]=null', 'items[]', 'null'],
    ['zip=01099', 'zip', '"01099"'],
    ['id=ord_{{uuid}}', 'id', '"ord_{{uuid}}"'],
    ['id={{uuid}}', 'id', '"{{uuid}}"'],
    ['text=a\nb', 'text', '"a\\nb"'],
  ])('parseAssignment reads %s', (text, path, value) => {
    expect(parseAssignment(text)).toEqual({ path, value });
  });

  it.each(['total', '=1', ''])('parseAssignment refuses %j', (text) => {
    expect(() => parseAssignment(text)).toThrow(/does not have the form path=value/);
  });

  it.each(['to={city:Berlin}', 'items[]=[a]', 'name="Zoë'])(
    'parseAssignment refuses %s, which has lost its quotes',
    (text) => {
      expect(() => parseAssignment(text)).toThrow(/starts like JSON but is not valid JSON/);
    },
  );

  it('parsePath and parseAssignment accept 128 levels, and refuse more', () => {
    const [path, value] = [`a${'.a'.repeat(127)}`, `${'['.repeat(128)}${']'.repeat(128)}`];
    expect(parsePath(path)).toHaveLength(128);
    expect(parseAssignment(`a=${value}`)).toEqual({ path: 'a', value });
    const error = new SvcError('usage', 'The payload is nested more than 128 levels deep.');
    expect(() => parsePath(`${path}.a`)).toThrow(error);
    expect(() => parsePath(`a${'.a'.repeat(20_000)}`)).toThrow(error);
    expect(() => parseAssignment(`a=[${value}]`)).toThrow(error);
    expect(() => parseAssignment(`a=${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toThrow(error);
  });
});
