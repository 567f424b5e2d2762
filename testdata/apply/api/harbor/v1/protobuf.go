package v1

import (
	"encoding/binary"
	"errors"
)

// Wire types of protobuf.
const (
	varint = 0
	bytes  = 2
)

// appendBytes appends a field to a message.
func appendBytes(message []byte, number uint64, value []byte) []byte {
	message = binary.AppendUvarint(message, number<<3|bytes)
	message = binary.AppendUvarint(message, uint64(len(value)))
	return append(message, value...)
}

// eachField calls do with each field of a message: with its content, or with its number.
func eachField(message []byte, do func(number uint64, content []byte, value uint64) error) error {
	for len(message) > 0 {
		key, size := binary.Uvarint(message)
		if size <= 0 {
			return errors.New("the key of a field is no varint")
		}
		value, length := binary.Uvarint(message[size:])
		if length <= 0 {
			return errors.New("the value of a field is no varint")
		}
		message = message[size+length:]
		var content []byte
		switch {
		case key&7 == bytes && value <= uint64(len(message)):
			content, message = message[:value], message[value:]
		case key&7 != varint:
			return errors.New("a field is truncated, or of an unknown type")
		}
		if err := do(key>>3, content, value); err != nil {
			return err
		}
	}
	return nil
}

// Reset empties the berth.
func (in *Berth) Reset() { *in = Berth{} }

// ProtoMessage and String are required by apimachinery v0.34 and older.
func (*Berth) ProtoMessage() {}

// String returns the name.
func (in *Berth) String() string { return in.Name }

// Marshal returns the berth as protobuf.
func (in *Berth) Marshal() ([]byte, error) {
	metadata, err := in.ObjectMeta.Marshal()
	if err != nil {
		return nil, err
	}
	spec := appendBytes(nil, 1, []byte(in.Spec.Ship))
	spec = binary.AppendUvarint(binary.AppendUvarint(spec, 2<<3|varint), uint64(in.Spec.Depth))
	message := appendBytes(appendBytes(nil, 1, metadata), 2, spec)
	return appendBytes(message, 3, appendBytes(nil, 1, []byte(in.Status.Ship))), nil
}

// Unmarshal adds the fields of a message to the berth.
func (in *Berth) Unmarshal(message []byte) error {
	return eachField(message, func(number uint64, content []byte, _ uint64) error {
		switch number {
		case 1:
			return in.ObjectMeta.Unmarshal(content)
		case 2:
			return eachField(content, func(number uint64, content []byte, value uint64) error {
				switch number {
				case 1:
					in.Spec.Ship = string(content)
				case 2:
					in.Spec.Depth = int64(value)
				}
				return nil
			})
		case 3:
			return eachField(content, func(_ uint64, content []byte, _ uint64) error {
				in.Status.Ship = string(content)
				return nil
			})
		}
		return nil
	})
}

// Reset empties the list.
func (in *BerthList) Reset() { *in = BerthList{} }

// Marshal returns the list as protobuf.
func (in *BerthList) Marshal() ([]byte, error) {
	metadata, err := in.ListMeta.Marshal()
	if err != nil {
		return nil, err
	}
	message := appendBytes(nil, 1, metadata)
	for i := range in.Items {
		item, err := in.Items[i].Marshal()
		if err != nil {
			return nil, err
		}
		message = appendBytes(message, 2, item)
	}
	return message, nil
}

// Unmarshal adds the fields of a message to the list.
func (in *BerthList) Unmarshal(message []byte) error {
	return eachField(message, func(number uint64, content []byte, _ uint64) error {
		switch number {
		case 1:
			return in.ListMeta.Unmarshal(content)
		case 2:
			in.Items = append(in.Items, Berth{})
			return in.Items[len(in.Items)-1].Unmarshal(content)
		}
		return nil
	})
}
